import type { Format, Quantity } from '../../quantity/quantity.ts'
import type { LimitReading } from './limit-reading.ts'
import { type HistorySteps, isKept, type LimitPoint, LimitSeries } from './limit-series.ts'
import { secondsToExhaustion } from './time-to-exhaustion.ts'

/** What an operator keeps: each quarter of a minute of the last ten, and each five minutes of the last six hours. */
export const OPERATOR_STEPS: HistorySteps = { stepMs: 15_000, fine: 40, coarse: 20, all: 1440 }

export interface HistoryBounds {
  readonly steps: HistorySteps
  /** The most limits of all objects together. */
  readonly mostLimits: number
  /** The most limits of the objects of a namespace, so that no tenant crowds out others. */
  readonly mostOfNamespace: number
  /** Nothing is said of the future of a limit that is known for less. */
  readonly shortestMs: number
}

/** The bounds of an operator. A limit takes at most 4 KiB, and one whose usage stays takes a tenth of that. */
export const OPERATOR_BOUNDS: HistoryBounds = {
  steps: OPERATOR_STEPS,
  mostLimits: 10_000,
  mostOfNamespace: 1000,
  shortestMs: 5 * 60_000,
}

/** Amounts are exact to a billionth, and so are kept in billionths. */
export const KEPT_SCALE = -9
/** No name of a resource is longer: a prefix of 253 characters, a slash, and a name of 63. */
const LONGEST_NAME = 320

/** One limit with what was used of it. */
export interface LimitHistory extends Pick<LimitReading, 'kind' | 'namespace' | 'name' | 'uid' | 'resource'> {
  /** In which to show the amounts, which are in billionths. */
  readonly format: Format
  readonly points: () => readonly LimitPoint[]
  readonly latest: { readonly used: bigint; readonly hard: bigint }
  /** Undefined: nothing points to an end of the room. */
  readonly exhaustedInSeconds: number | undefined
}

/** What was used of limits in the last hours, in bounded memory. It is told by looks at all limits at a time. */
export class UsageHistory {
  readonly #bounds: HistoryBounds
  readonly #objects = new Map<string, Map<string, KeptLimit>>()
  /** Of each namespace; those of the whole cluster have an empty one. */
  readonly #namespaces = new Map<string, Set<KeptLimit>>()
  #largest: ReadonlySet<KeptLimit> | undefined
  #size = 0
  #leftOut = 0
  #since: number | undefined

  constructor(bounds: HistoryBounds) {
    this.#bounds = bounds
  }

  /** How long a step is. Looks are that far apart. */
  get stepMs(): number {
    return this.#bounds.steps.stepMs
  }

  /** The step of the first look, in milliseconds; undefined before it. */
  get since(): number | undefined {
    return this.#since
  }

  /** How many limits are kept. */
  get size(): number {
    return this.#size
  }

  /** How many limits of the last look had no room. */
  get leftOut(): number {
    return this.#leftOut
  }

  /** How many points are kept. */
  get points(): number {
    return [...this.all()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Begins a look at all limits. `at`: milliseconds of a clock that only grows, and not before the last look. */
  look(at: number): Look {
    const { steps } = this.#bounds
    const step = Math.floor(at / steps.stepMs)
    this.#since ??= step * steps.stepMs
    const seen = new Set<KeptLimit>()
    let leftOut = 0
    const quiet = new QuietLimits(step - steps.all)
    const gaveWay = (other: KeptLimit): void => {
      if (seen.delete(other)) leftOut++
    }
    return {
      see: (reading) => {
        const [used, hard] = [amountOf(reading.used), amountOf(reading.hard)]
        const isSmall = isKept(used) && isKept(hard)
        const kept = isSmall ? (this.#find(reading) ?? this.#keep(reading, quiet, gaveWay)) : undefined
        if (kept === undefined) leftOut++
        else seen.add(kept.add(step, used, hard, reading.hard.format))
      },
      end: () => {
        for (const kept of this.all()) if (!seen.has(kept)) this.#forget(kept)
        this.#leftOut = leftOut
      },
    }
  }

  /** The limits of an object. */
  of(uid: string): readonly LimitHistory[] {
    return [...(this.#objects.get(uid)?.values() ?? [])]
  }

  /** All limits. */
  *all(): Generator<KeptLimit> {
    for (const limits of this.#objects.values()) yield* limits.values()
  }

  #find({ uid, resource }: LimitReading): KeptLimit | undefined {
    return this.#objects.get(uid)?.get(resource)
  }

  /** Keeps a limit, if need be in the place of another one. Where there is no place it has no history. */
  #keep(reading: LimitReading, quiet: QuietLimits, gaveWay: (other: KeptLimit) => void): KeptLimit | undefined {
    const { uid, namespace, resource } = reading
    if (uid === '' || resource.length > LONGEST_NAME) return undefined
    const { mostLimits, mostOfNamespace } = this.#bounds
    const own = this.#namespaces.get(namespace) ?? new Set()
    const isNamespaceFull = namespace !== '' && own.size >= mostOfNamespace
    if (isNamespaceFull || this.#size >= mostLimits) {
      const other = isNamespaceFull ? quiet.oneOf(own) : this.#toGiveWay(namespace, own, quiet)
      if (other === undefined) return undefined
      this.#forget(other)
      gaveWay(other)
    }
    const kept = new KeptLimit(reading, this.#bounds)
    const limits = this.#objects.get(uid) ?? new Map<string, KeptLimit>()
    this.#objects.set(uid, limits.set(resource, kept))
    this.#namespaces.set(namespace, own.add(kept))
    this.#size++
    this.#largest = undefined
    return kept
  }

  /**
   * Returns the limit to drop when the history is full. The namespace with most limits loses one to a namespace with
   * fewer, or to an object without namespace, which no tenant can make. A limit with constant usage is dropped first.
   * Between namespaces of equal size only such a limit is dropped.
   */
  #toGiveWay(namespace: string, own: ReadonlySet<KeptLimit>, quiet: QuietLimits): KeptLimit | undefined {
    const largest = this.#largestNamespace()
    const more = largest.size - (namespace === '' ? 0 : own.size)
    const other = more > 0 ? (quiet.oneOf(largest) ?? (more > 1 ? leastKnown(largest) : undefined)) : undefined
    return other ?? quiet.oneOf(own)
  }

  #largestNamespace(): ReadonlySet<KeptLimit> {
    if (this.#largest !== undefined) return this.#largest
    let largest: ReadonlySet<KeptLimit> = new Set()
    for (const [namespace, limits] of this.#namespaces)
      if (namespace !== '' && limits.size > largest.size) largest = limits
    return (this.#largest = largest)
  }

  #forget(kept: KeptLimit): void {
    const { uid, namespace, resource } = kept
    const limits = this.#objects.get(uid)
    limits?.delete(resource)
    if (limits?.size === 0) this.#objects.delete(uid)
    const others = this.#namespaces.get(namespace)
    others?.delete(kept)
    if (others?.size === 0) this.#namespaces.delete(namespace)
    this.#size--
    this.#largest = undefined
  }
}

/** One look at all limits. */
export interface Look {
  /** Notes a limit as it is now. */
  readonly see: (reading: LimitReading) => void
  /** Forgets the limits that were not seen. */
  readonly end: () => void
}

/** The limits whose usage has stayed since a step, looked up once for a look at all. */
class QuietLimits {
  readonly #since: number
  readonly #found = new Map<ReadonlySet<KeptLimit>, KeptLimit[]>()

  constructor(since: number) {
    this.#since = since
  }

  /** One of some limits. None is given twice. */
  oneOf(limits: ReadonlySet<KeptLimit>): KeptLimit | undefined {
    const isQuiet = ({ changedAt }: KeptLimit): boolean => changedAt <= this.#since
    const found = this.#found.get(limits) ?? [...limits].filter(isQuiet)
    this.#found.set(limits, found)
    for (;;) {
      const one = found.pop()
      // Others may have taken its place, and its usage may have changed meanwhile.
      if (one === undefined || (limits.has(one) && isQuiet(one))) return one
    }
  }
}

/** The limit of which least is kept. */
function leastKnown(limits: Iterable<KeptLimit>): KeptLimit | undefined {
  let least: KeptLimit | undefined
  for (const one of limits) if (least === undefined || one.length < least.length) least = one
  return least
}

class KeptLimit implements LimitHistory {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resource: string
  format: Format = 'DecimalSI'
  readonly #series: LimitSeries
  readonly #shortestMs: number
  #exhaustedInSeconds: number | undefined

  constructor({ kind, namespace, name, uid, resource }: LimitReading, { steps, shortestMs }: HistoryBounds) {
    this.kind = kind
    this.namespace = namespace
    this.name = name
    this.uid = uid
    this.resource = resource
    this.#series = new LimitSeries(steps)
    this.#shortestMs = shortestMs
  }

  get length(): number {
    return this.#series.length
  }

  get changedAt(): number {
    return this.#series.changedAt
  }

  get exhaustedInSeconds(): number | undefined {
    return this.#exhaustedInSeconds
  }

  get latest(): { readonly used: bigint; readonly hard: bigint } {
    return this.#series.latest
  }

  points(): readonly LimitPoint[] {
    return this.#series.points()
  }

  /** Estimates at once: a look goes on in parts, and whoever asks later wants all limits at a time. */
  add(step: number, used: bigint, hard: bigint, format: Format): this {
    this.#series.add(step, used, hard)
    this.format = format
    const { hard: limit, points } = this.#series.current()
    this.#exhaustedInSeconds = secondsToExhaustion(points, limit, this.#shortestMs)
    return this
  }
}

const amountOf = (quantity: Quantity): bigint => quantity.scaledValue(KEPT_SCALE)
