import { Quantity } from '../../../../quantity/quantity.ts'
import { isZero, mask, quantityOf, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import { type Shortage, shortagesOf } from '../amount/capacity.ts'
import { ResourceSum } from '../amount/resource-sum.ts'

/** A claim that wants room. `held` is what it was given earlier, where it asks for another amount now. */
export interface Asking {
  readonly request: ResourceList
  readonly held?: ResourceList
  /** Does it let all others pass while it waits? */
  readonly standsAside?: boolean
}

/** A resource that a claim wants and an older claim waits for; `queued` is what is waited for so far. */
export interface QueueShortage {
  readonly resource: string
  readonly requested: Quantity
  readonly queued: Quantity
}

/** The verdict on a claim that asks for room. */
export type QueueVerdict =
  | { readonly verdict: 'allocated' }
  | { readonly verdict: 'waiting'; readonly reason: 'PoolExhausted'; readonly shortages: readonly Shortage[] }
  | { readonly verdict: 'waiting'; readonly reason: 'QueueExhausted'; readonly shortages: readonly QueueShortage[] }

/** A resource that claims wait for: what is left of it, and how much they ask for together. */
export interface Exhaustion {
  readonly available: Quantity
  readonly requesting: Quantity
}

export interface Served<T extends Asking> {
  readonly verdicts: ReadonlyMap<T, QueueVerdict>
  /** Claims that lost the room that they held, because their new amounts do not fit. */
  readonly dropped: ReadonlySet<T>
  /** By resource. */
  readonly exhaustions: ReadonlyMap<string, Exhaustion>
}

const ALLOCATED: QueueVerdict = Object.freeze({ verdict: 'allocated' })

/** The room that can be given. */
export interface Room {
  readonly available: ResourceList
  /** The room that will be free soon; by default none. */
  readonly returning?: ResourceList
}

/**
 * Serves the asking claims in their order (docs/concepts/resource-pools.md).
 *
 * A claim is served now only if it would also be served with all returning room already free. So no claim takes room
 * that an older one is about to get. Room that is given up here returns too, because its quota still allows it. Passes
 * are repeated until one changes nothing, since a late claim can take room that an older one was shown.
 */
export function serveQueue<T extends Asking>(
  asking: readonly T[],
  { available, returning = {} }: Room,
  ordered: boolean,
): Served<T> {
  const left = new ResourceSum(available)
  const soon = new ResourceSum(mask(returning, Object.keys(available)))
  const verdicts = new Map<T, QueueVerdict>()
  const dropped = new Set<T>()
  let waiting: readonly Turn<T>[] = asking.map((claim): Turn<T> => ({ claim, held: claim.held }))
  for (;;) {
    const expected = verdictsSoon(waiting, left, soon, ordered)
    const pass = servePass(waiting, { left, soon, expected, ordered, verdicts })
    for (const claim of pass.dropped) dropped.add(claim)
    if (!pass.changed || pass.still.length === 0) return { verdicts, dropped, exhaustions: pass.exhaustions }
    waiting = pass.still
  }
}

/** A claim whose turn it is, and what it holds at that time. */
interface Turn<T> {
  readonly claim: T
  readonly held: ResourceList | undefined
}

/** Returns the verdict on each claim for when all room in release is back; undefined when none is in release. */
function verdictsSoon<T extends Asking>(
  waiting: readonly Turn<T>[],
  left: ResourceSum,
  soon: ResourceSum,
  ordered: boolean,
): ReadonlyMap<T, QueueVerdict> | undefined {
  const returning = soon.list()
  if (isZero(returning)) return undefined
  const all = new ResourceSum(left.list())
  all.add(returning)
  const verdicts = new Map<T, QueueVerdict>()
  let turns = waiting
  for (let changed = true; changed && turns.length > 0;) {
    const pass = servePass(turns, { left: all, soon: all, expected: undefined, ordered, verdicts })
    turns = pass.still
    changed = pass.changed
  }
  return verdicts
}

interface Pass<T> {
  readonly dropped: readonly T[]
  /** The claims that go on waiting, with nothing. */
  readonly still: readonly Turn<T>[]
  readonly exhaustions: ReadonlyMap<string, Exhaustion>
  readonly changed: boolean
}

interface PassOptions<T> {
  readonly left: ResourceSum
  /** Takes what is given up; it may be what is left itself. */
  readonly soon: ResourceSum
  /**
   * The verdicts for the time when all room in release is back; undefined if none is in release. A claim that waits
   * even then waits now, and shows the room that will be left.
   */
  readonly expected: ReadonlyMap<T, QueueVerdict> | undefined
  readonly ordered: boolean
  /** Takes what becomes of each. */
  readonly verdicts: Map<T, QueueVerdict>
}

/** Lets each have its turn once. */
function servePass<T extends Asking>(
  waiting: readonly Turn<T>[],
  { left, soon, expected, ordered, verdicts }: PassOptions<T>,
): Pass<T> {
  const exhaustions = new Map<string, Exhaustion>()
  const dropped: T[] = []
  const still: Turn<T>[] = []
  let changed = false
  for (const { claim, held } of waiting) {
    const later = held === undefined ? expected?.get(claim) : undefined
    const verdict =
      later?.verdict === 'waiting' ? later : judge(claim.request, held, left, ordered ? exhaustions : NOBODY)
    verdicts.set(claim, verdict)
    if (verdict.verdict === 'allocated') {
      take(left, soon, claim.request, held)
      changed = true
      continue
    }
    if (held !== undefined) {
      soon.add(held)
      dropped.push(claim)
      changed = true
    }
    if (verdict.reason === 'PoolExhausted' && claim.standsAside !== true) note(exhaustions, verdict.shortages)
    still.push({ claim, held: undefined })
  }
  return { dropped, still, exhaustions, changed }
}

const NOBODY: ReadonlyMap<string, Exhaustion> = new Map()

/** A claim that holds room already does not queue to change it (docs/concepts/resource-pools.md). */
function judge(
  request: ResourceList,
  held: ResourceList | undefined,
  left: ResourceSum,
  before: ReadonlyMap<string, Exhaustion>,
): QueueVerdict {
  const queued = held === undefined ? queuedBefore(request, before) : []
  if (queued.length > 0) return { verdict: 'waiting', reason: 'QueueExhausted', shortages: queued }
  const shortages = shortagesOf(request, left, held)
  return shortages.length === 0 ? ALLOCATED : { verdict: 'waiting', reason: 'PoolExhausted', shortages }
}

/** The resources, sorted, that are asked for and that an older claim waits for. */
function queuedBefore(request: ResourceList, exhaustions: ReadonlyMap<string, Exhaustion>): readonly QueueShortage[] {
  if (exhaustions.size === 0) return []
  return resourceNames(request).flatMap((resource) => {
    const requested = quantityOf(request, resource)
    const exhaustion = exhaustions.get(resource)
    if (exhaustion === undefined || requested === undefined || requested.sign() <= 0) return []
    return [{ resource, requested, queued: exhaustion.requesting }]
  })
}

function take(left: ResourceSum, soon: ResourceSum, request: ResourceList, held: ResourceList = {}): void {
  for (const name of resourceNames({ ...held, ...request })) {
    const more = (quantityOf(request, name) ?? Quantity.zero).sub(quantityOf(held, name) ?? Quantity.zero)
    if (more.sign() > 0) left.subtract({ [name]: more })
    if (more.sign() < 0) soon.add({ [name]: more.neg() })
  }
}

function note(exhaustions: Map<string, Exhaustion>, shortages: readonly Shortage[]): void {
  for (const { resource, requested, available } of shortages) {
    const before = exhaustions.get(resource)
    exhaustions.set(
      resource,
      before === undefined
        ? { available, requesting: requested }
        : { available: before.available, requesting: before.requesting.add(requested) },
    )
  }
}
