/** A least and a most: of a cost, or of a size. Never beyond 2^64 - 1, as upstream reckons. */
export interface CostRange {
  readonly min: number
  readonly max: number
}

const MOST = 2 ** 64 - 1

const capped = (value: number): number => (value < MOST ? value : MOST)

export const fixed = (value: number): CostRange => ({ min: value, max: value })
export const NOTHING: CostRange = fixed(0)
export const ONE: CostRange = fixed(1)
export const UNKNOWN: CostRange = { min: 0, max: MOST }

export const plus = (...ranges: readonly CostRange[]): CostRange => ({
  min: capped(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: capped(ranges.reduce((sum, { max }) => sum + max, 0)),
})

/** Nothing times however much is nothing. */
const product = (left: number, right: number): number => (left === 0 || right === 0 ? 0 : capped(left * right))

export const times = (left: CostRange, right: CostRange): CostRange => ({
  min: product(left.min, right.min),
  max: product(left.max, right.max),
})

/** Each end times a factor, rounded up. */
export const scaled = (range: CostRange, factor: number): CostRange => ({
  min: capped(Math.ceil(range.min * factor)),
  max: capped(Math.ceil(range.max * factor)),
})

/** The range that covers both. */
export const union = (left: CostRange, right: CostRange): CostRange => ({
  min: Math.min(left.min, right.min),
  max: Math.max(left.max, right.max),
})
