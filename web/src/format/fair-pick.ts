/** As many rows as fit, of which each group gets its turn: the first of each group, then the second. The rest stays in its order. */
export interface FairPick<T> {
  readonly picked: readonly T[]
  readonly rest: readonly T[]
}

/** Picks rows by turns, so that no group takes the places of others. Groups come in the order of their first rows. */
export function fairPick<T>(rows: readonly T[], most: number, groupOf: (row: T) => string): FairPick<T> {
  const seen = new Map<string, number>()
  const turns = rows.map((row) => {
    const group = groupOf(row)
    const turn = seen.get(group) ?? 0
    seen.set(group, turn + 1)
    return { row, turn }
  })
  const picked = turns.toSorted((a, b) => a.turn - b.turn).slice(0, most)
  const taken = new Set(picked)
  return {
    picked: picked.map(({ row }) => row),
    rest: turns.filter((one) => !taken.has(one)).map(({ row }) => row),
  }
}
