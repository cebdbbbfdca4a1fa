/** How much of a limit is used at a time, in any unit of amount. `at`: whole milliseconds of any clock. */
export interface UsagePoint {
  readonly at: number
  readonly used: bigint
}

/** Growth is judged by the last half hour: long enough that one rollout decides nothing, short enough to see a leak in minutes. */
const WINDOW_MS = 30 * 60_000
/** The usage is read at so many evenly spaced times of the window. */
const TIMES = 16
const GAPS = TIMES - 1
/** The least number that each distance between two of these times divides, so that all slopes are whole numbers. */
const COMMON = 360_360n
/** A limit that lasts longer is not about to be exhausted: 30 days. */
const MOST_SECONDS = 30n * 86_400n

/**
 * Estimates in how many seconds after the latest point the usage reaches `hard`, rounded up. 0: it has reached it. Undefined: the usage does not
 * grow, grows so slowly that the limit lasts for a month, or is known for less than `shortestMs`.
 *
 * The growth is the median of the slopes between all pairs of times (Theil and Sen), so that a single jump does not count. Usage changes evenly
 * from one point to the next. The order of the points and points given twice do not matter; of several at one time the largest counts.
 */
export function secondsToExhaustion(
  points: readonly UsagePoint[],
  hard: bigint,
  shortestMs: number,
): number | undefined {
  const inOrder = points
    .toSorted((a, b) => a.at - b.at || compare(a.used, b.used))
    .filter(({ at }, index, all) => at !== all[index + 1]?.at)
  const latest = inOrder.at(-1)
  if (latest === undefined) return undefined
  if (latest.used >= hard) return 0
  // Most limits are so: they cost nothing more.
  if (inOrder.every(({ used }) => used === latest.used)) return undefined
  const first = Math.max(inOrder[0]?.at ?? latest.at, latest.at - WINDOW_MS)
  const span = latest.at - first
  if (span <= 0 || span < shortestMs) return undefined
  const { values, unit } = readAt(inOrder, first, span)
  const slopes = pairSlopes(values)
  // There is an even number of pairs. Twice the median, so that it is a whole number.
  const twice = (slopes[slopes.length / 2 - 1] ?? 0n) + (slopes[slopes.length / 2] ?? 0n)
  if (twice <= 0n) return undefined
  const seconds = divideUp((hard - latest.used) * unit * 2n * COMMON * BigInt(span), twice * BigInt(GAPS) * 1000n)
  return seconds > MOST_SECONDS ? undefined : Number(seconds)
}

/** The usage at evenly spaced times from `first` on, each exactly, in a unit that is common to all: `unit` of them are one of the points. */
function readAt(
  inOrder: readonly UsagePoint[],
  first: number,
  span: number,
): { readonly values: readonly bigint[]; readonly unit: bigint } {
  let at = 0
  const parts = Array.from({ length: TIMES }, (_, index) => {
    const time = first * GAPS + index * span
    while (at + 1 < inOrder.length && (inOrder[at + 1]?.at ?? 0) * GAPS <= time) at++
    const start = inOrder[at] ?? { at: 0, used: 0n }
    const end = inOrder[at + 1] ?? start
    const gap = (end.at - start.at) * GAPS
    return {
      start: start.used,
      growth: end.used - start.used,
      passed: BigInt(time - start.at * GAPS),
      gap: BigInt(gap),
    }
  })
  const unit = parts.reduce((common, { passed, gap }) => (passed === 0n ? common : leastCommon(common, gap)), 1n)
  const values = parts.map(({ start, growth, passed, gap }) =>
    passed === 0n ? start * unit : start * unit + (growth * passed * unit) / gap,
  )
  return { values, unit }
}

/** The growth between two times, for each pair of them, in order. The unit is that of amounts for each gap, by `COMMON`. */
function pairSlopes(values: readonly bigint[]): readonly bigint[] {
  const slopes: bigint[] = []
  for (const [from, start] of values.entries())
    for (const [distance, value] of values.slice(from + 1).entries())
      slopes.push((value - start) * (COMMON / BigInt(distance + 1)))
  return slopes.toSorted(compare)
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))
const greatestCommon = (a: bigint, b: bigint): bigint => (b === 0n ? a : greatestCommon(b, a % b))
const leastCommon = (a: bigint, b: bigint): bigint => (a / greatestCommon(a, b)) * b
const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor
