import type { UsagePoint } from './time-to-exhaustion.ts'

/** How much is kept of the past. Times are counted in steps. */
export interface HistorySteps {
  /** How long a step is. */
  readonly stepMs: number
  /** So many of the last steps are kept one by one. */
  readonly fine: number
  /** Of older ones the last of so many is kept. */
  readonly coarse: number
  /** Nothing older than so many steps is kept. */
  readonly all: number
}

/** A usage with the limit that was in force. */
export interface LimitPoint extends UsagePoint {
  readonly hard: bigint
}

interface Era {
  /** The first step at which the limit was in force. */
  step: number
  readonly hard: bigint
}

const FIRST_ROOM = 4
const HALF = 64n

/** Is an amount small enough to be kept? All amounts that Kubernetes allows are, by far. */
export const isKept = (amount: bigint): boolean => BigInt.asIntN(2 * Number(HALF), amount) === amount

/**
 * The most points that a series has.
 * @public for tests of the bounds
 */
export const mostPoints = ({ fine, coarse, all }: HistorySteps): number => fine + Math.ceil(all / coarse) + 3

/**
 * What was used of one limit over time, in a bounded number of bytes. A usage that stays costs two
 * points. Amounts are 128-bit numbers.
 */
export class LimitSeries {
  readonly #steps: HistorySteps
  #at = new Uint32Array(FIRST_ROOM)
  #low = new BigUint64Array(FIRST_ROOM)
  #high = new BigInt64Array(FIRST_ROOM)
  #length = 0
  #eras: Era[] = []

  constructor(steps: HistorySteps) {
    this.#steps = steps
  }

  get length(): number {
    return this.#length
  }

  /** The step at which the usage was last another one, or the first step that is kept. */
  get changedAt(): number {
    const last = this.#length - 1
    const isHeld = last > 0 && this.#used(last) === this.#used(last - 1)
    return this.#at[isHeld ? last - 1 : last] ?? 0
  }

  /** What was used at last, and the limit in force. */
  get latest(): { readonly used: bigint; readonly hard: bigint } {
    return { used: this.#used(this.#length - 1), hard: this.#eras.at(-1)?.hard ?? 0n }
  }

  /** Adds what is used now. A step that is not after the last one replaces it. Amounts have to be `isKept`. */
  add(step: number, used: bigint, hard: bigint): void {
    const last = this.#length - 1
    const latest = this.#at[last]
    const at = latest === undefined ? step : Math.max(step, latest)
    if (at === latest) this.#length--
    this.#addHard(at, hard)
    const end = this.#length - 1
    // The limit has been the same since the point before as well.
    const isSame = (this.#eras.at(-1)?.step ?? 0) <= (this.#at[end - 1] ?? -1)
    const isHeld = isSame && this.#used(end) === used && this.#used(end - 1) === used
    this.#set(isHeld ? end : this.#length, at, used)
    this.#thin(at)
  }

  /** All points, the oldest first. */
  points(): readonly LimitPoint[] {
    let era = 0
    return Array.from({ length: this.#length }, (_, index) => {
      const step = this.#at[index] ?? 0
      while ((this.#eras[era + 1]?.step ?? Infinity) <= step) era++
      return { at: step * this.#steps.stepMs, used: this.#used(index), hard: this.#eras[era]?.hard ?? 0n }
    })
  }

  /** The limit in force, and the points since it is. */
  current(): { readonly hard: bigint; readonly points: readonly UsagePoint[] } {
    const { step = 0, hard = 0n } = this.#eras.at(-1) ?? {}
    return { hard, points: this.points().filter(({ at }) => at >= step * this.#steps.stepMs) }
  }

  #addHard(step: number, hard: bigint): void {
    const last = this.#eras.at(-1)
    if (last?.hard === hard) return
    if (last !== undefined && last.step >= step) this.#eras.pop()
    if (this.#eras.at(-1)?.hard !== hard) this.#eras.push({ step, hard })
  }

  #used(index: number): bigint {
    return ((this.#high[index] ?? 0n) << HALF) | (this.#low[index] ?? 0n)
  }

  #set(index: number, step: number, used: bigint): void {
    if (index === this.#at.length) this.#grow()
    this.#at[index] = step
    this.#low[index] = BigInt.asUintN(Number(HALF), used)
    this.#high[index] = used >> HALF
    this.#length = index + 1
  }

  #grow(): void {
    const length = this.#at.length * 2
    const [at, low, high] = [new Uint32Array(length), new BigUint64Array(length), new BigInt64Array(length)]
    at.set(this.#at)
    low.set(this.#low)
    high.set(this.#high)
    this.#at = at
    this.#low = low
    this.#high = high
  }

  /** Leaves out what is too old, and points of the older part that a later one stands for. */
  #thin(now: number): void {
    const { fine, coarse, all } = this.#steps
    const start = Math.max(0, now - all)
    let kept = 0
    for (let index = 0; index < this.#length; index++) {
      const [step = 0, next = Infinity] = [this.#at[index], index + 1 < this.#length ? this.#at[index + 1] : Infinity]
      // What was used at the start is what was used before it.
      const isOld = next <= start
      const isStoodFor = next < now - fine && Math.floor(next / coarse) === Math.floor(step / coarse)
      if (isOld || isStoodFor) continue
      this.#move(index, kept++, Math.max(step, start))
    }
    this.#length = kept
    this.#thinEras()
  }

  #move(from: number, to: number, step: number): void {
    this.#at[to] = step
    this.#low[to] = this.#low[from] ?? 0n
    this.#high[to] = this.#high[from] ?? 0n
  }

  /** An era in which no point lies is not shown. */
  #thinEras(): void {
    if (this.#eras.length === 1) return
    let index = 0
    this.#eras = this.#eras.filter(({ step }, at) => {
      const end = this.#eras[at + 1]?.step ?? Infinity
      while (index < this.#length && (this.#at[index] ?? 0) < step) index++
      return (this.#at[index] ?? Infinity) < end
    })
  }
}
