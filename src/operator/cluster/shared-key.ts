/** The bytes of a key that all replicas share. */
export const KEY_BYTES = 32
/** Each replica reads the shared keys about so often. */
export const READ_EVERY_MS = 5_000
