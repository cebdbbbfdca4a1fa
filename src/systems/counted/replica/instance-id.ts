import { randomBytes } from 'node:crypto'

/** A new name among those of all replicas and of all parts of each, for ledgers that they share. */
export const newInstanceId = (): string => randomBytes(6).toString('base64url')
