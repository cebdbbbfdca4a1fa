/** The bounds of Go's whole numbers of 64 bits. */
export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n
export const UINT64_MAX = 2n ** 64n - 1n
