/**
 * The places in a list of entries that an earlier one equals, by what `identity` gives for each: a text, or another value
 * that is compared as it is. Takes time linear in the length of the list.
 */
export function repetitions<T>(
  list: readonly T[],
  identity: (entry: T) => unknown = (entry) => entry,
): readonly number[] {
  const seen = new Set<unknown>()
  return list.flatMap((entry, index) => {
    const key = identity(entry)
    if (seen.has(key)) return [index]
    seen.add(key)
    return []
  })
}

/** One text for several, another one for others: what an entry is known by that has several keys. */
export const joinedKey = (...parts: readonly string[]): string => JSON.stringify(parts)
