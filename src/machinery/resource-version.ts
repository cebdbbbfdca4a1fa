const NUMBER = /^[1-9]\d*$/

/**
 * Negative when `a` is older than `b`, 0 when they are the same, positive when it is newer; undefined when they cannot be
 * compared. Versions are opaque, but those that are whole numbers without leading zeros may be compared as such (KEP-5504);
 * digit by digit, because they may be longer than numbers are exact.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a === b ? 0 : a < b ? -1 : 1
}

/** Is `a` known to be older than `b`? */
export const isOlder = (a: string, b: string): boolean => (compareVersions(a, b) ?? 0) < 0
