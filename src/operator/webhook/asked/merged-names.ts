/** Returns the same sets, of which so many are merged with others that no more than `most` differ: the smallest first, which adds least. */
export function mergedNames(sets: readonly ReadonlySet<string>[], most: number): readonly ReadonlySet<string>[] {
  const texts = sets.map(textOf)
  const groups = [...Map.groupBy(sets.keys(), (index) => texts[index] ?? '').values()]
    .map((members) => ({ members, names: sets[members[0] ?? 0] ?? new Set<string>() }))
    .toSorted((a, b) => a.names.size - b.names.size || (textOf(a.names) < textOf(b.names) ? -1 : 1))
  const empty = groups.filter(({ names }) => names.size === 0)
  const filled = groups.slice(empty.length)
  const tooMany = Math.max(0, filled.length - most)
  const [small, large] = [filled.slice(0, tooMany + 1), filled.slice(tooMany + 1)]
  const together = { members: small.flatMap(({ members }) => members), names: unionOf(small.map(({ names }) => names)) }
  const merged = sets.map((set) => set)
  for (const { members, names } of [together, ...large, ...empty]) for (const index of members) merged[index] = names
  return merged
}

const textOf = (names: ReadonlySet<string>): string => JSON.stringify([...names].toSorted())

const unionOf = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]))
