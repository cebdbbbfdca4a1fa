/** The completion indexes of a Job as ranges, both ends included: in order, and none touches the next. */
export type IndexRanges = readonly (readonly [from: number, to: number])[]

/**
 * Reads `0,2-4`. Leaves out invalid ranges, and indexes from `end` on (upstream `parseIndexesFromString`). So a status that somebody has
 * written costs no more than its length.
 */
export function readRanges(text: string, end: number): IndexRanges {
  const found: [number, number][] = []
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? []
    if (first === undefined) continue
    const [from, to] = [Number(first), Math.min(Number(last), end - 1)]
    if (from <= to) found.push([from, to])
  }
  return merged(found)
}

/** The ranges with more indexes. */
export const withIndexes = (ranges: IndexRanges, indexes: readonly number[]): IndexRanges =>
  indexes.length === 0 ? ranges : merged([...ranges, ...indexes.map((index) => [index, index] as const)])

export const sizeOf = (ranges: IndexRanges): number => ranges.reduce((size, [from, to]) => size + to - from + 1, 0)

/** `0,2-4` for 0, 2, 3 and 4. */
export const rangesText = (ranges: IndexRanges): string =>
  ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')

/** The lowest indexes before `end` that are not in the ranges, `most` of them at the most. */
export function lowestOutside(ranges: IndexRanges, end: number, most: number): readonly number[] {
  const found: number[] = []
  let index = 0
  for (const [from, to] of [...ranges, [end, end] as const]) {
    for (; index < Math.min(from, end) && found.length < most; index++) found.push(index)
    if (found.length >= most) return found
    index = to + 1
  }
  return found
}

function merged(ranges: IndexRanges): IndexRanges {
  const result: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}
