import { type Clock, pause } from '../../kube/time/clock.ts'
import { type AskedNamespaces, type AskedResource, EVERYWHERE } from '../webhook/configuration.ts'
import { ProvenCoverage } from './proven-coverage.ts'
import type { AnsweredHook, WebhookRules } from './registered-webhooks.ts'

export interface AskedRulesOptions {
  readonly webhooks: WebhookRules
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Without the rules, which follow what is needed. */
  readonly hook: Omit<AnsweredHook, 'rules' | 'asked'>
}

/** Rules change at most so often, which spares API servers and their probes. */
const LEAST_INTERVAL_MS = 500
/** How long an unneeded rule stays at most. It goes with all other unneeded rules. A quota may need it again before. */
export const LINGER_MS = 5_000
const LEAST_LINGER_MS = 1_000

type Coverage = ReadonlyMap<string, AskedNamespaces>

/** Resources and namespaces that are asked about. */
interface Asked {
  resource: AskedResource
  namespaces: Set<string>
  /** Since when nobody needs them, for each of the namespaces. */
  readonly needlessSince: Map<string, number>
}

/**
 * Keeps the webhook rules that follow quotas. Needed rules are added soon, and unneeded rules are removed later and
 * together. Rules change at a bounded rate. Each namespace has an allowance of its own, so that quotas of one namespace
 * hardly delay others.
 */
export class AskedRules {
  readonly #options: AskedRulesOptions
  readonly #allowance = new ChangeAllowance()
  readonly #asked = new Map<string, Asked>()
  readonly #liveHandlers = new Set<() => void>()
  readonly #covered = new ProvenCoverage<Coverage>(new Map(), intersection)
  readonly #stopping = new AbortController()
  #needed: ReadonlyMap<string, AskedResource> = new Map()
  #changedAt = -Infinity
  #removedAt = -Infinity
  #wakeAt = Infinity
  #waiting = new AbortController()

  constructor(options: AskedRulesOptions) {
    this.#options = options
    const { phase, name, path, sideEffects } = options.hook
    options.webhooks.follows({ phase, name, path, ...(sideEffects === undefined ? {} : { sideEffects }) })
    options.webhooks.onLive((version) => this.#becameLive(version))
  }

  /** The API server has to ask about these resources from now on, and need not ask about others. */
  need(resources: readonly AskedResource[]): void {
    this.#needed = new Map(resources.map((one) => [one.key, one]))
    this.#advance()
  }

  /** Do the rules of the webhook hold all that is needed? */
  get areComplete(): boolean {
    return this.#missingOwners().size === 0
  }

  /** Reports whether the API server is proven to ask about a resource in these namespaces. */
  isLiveFor(key: string, namespaces: AskedNamespaces): boolean {
    const proven = this.#covered.proven.get(key)
    return namespaces.size === 0 || (proven !== undefined && (proven.has(EVERYWHERE) || namespaces.isSubsetOf(proven)))
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    this.#liveHandlers.add(handler)
    return () => void this.#liveHandlers.delete(handler)
  }

  /** Changes nothing by itself any more. */
  stop(): void {
    this.#stopping.abort()
    this.#waiting.abort()
  }

  #advance(): void {
    const { clock } = this.#options
    const now = clock.monotonic()
    this.#markNeedless(now)
    const owners = this.#missingOwners()
    const endsAt = this.#nextEnd()
    const isDue = owners.size > 0 || endsAt <= now
    const soonest = this.#changedAt + LEAST_INTERVAL_MS
    if (isDue && soonest <= now) {
      const admitted = new Set([...owners].filter((owner) => this.#allowance.take(owner, now)))
      if (admitted.size > 0 || endsAt <= now) this.#change(admitted, now)
    }
    this.#cover()
    const waits = [...this.#missingOwners()].map((owner) => this.#allowance.freeAt(owner, now))
    const next = Math.min(this.#nextEnd(), ...waits)
    if (next < Infinity) this.#wake(Math.max(next, this.#changedAt + LEAST_INTERVAL_MS), now)
  }

  /** Returns the owners of missing rules: namespaces, or '' if no single namespace needs the rule. */
  #missingOwners(): ReadonlySet<string> {
    const owners = new Set<string>()
    for (const [key, resource] of this.#needed) {
      const asked = this.#asked.get(key)
      if (asked !== undefined && !isSameRules(asked.resource, resource)) owners.add('')
      for (const area of resource.namespaces) if (asked?.namespaces.has(area) !== true) owners.add(ownerOf(area))
    }
    return owners
  }

  #markNeedless(now: number): void {
    for (const [key, { namespaces, needlessSince }] of this.#asked) {
      const needed = this.#needed.get(key)?.namespaces
      for (const area of namespaces)
        if (needed?.has(area) === true) needlessSince.delete(area)
        else if (!needlessSince.has(area)) needlessSince.set(area, now)
    }
  }

  /** When what is needless goes next. */
  #nextEnd(): number {
    let first = Infinity
    for (const { needlessSince } of this.#asked.values())
      for (const since of needlessSince.values()) first = Math.min(first, since + LINGER_MS)
    return Math.max(first, this.#removedAt + LINGER_MS)
  }

  #change(owners: ReadonlySet<string>, now: number): void {
    const { webhooks, hook } = this.#options
    for (const [key, resource] of this.#needed) {
      const added = [...resource.namespaces].filter((area) => owners.has(ownerOf(area)))
      const asked = this.#asked.get(key)
      if (asked !== undefined) {
        for (const area of added) asked.namespaces.add(area)
        if (owners.has('')) asked.resource = resource
      } else if (added.length > 0)
        this.#asked.set(key, { resource, namespaces: new Set(added), needlessSince: new Map() })
    }
    this.#removeNeedless(now)
    this.#changedAt = now
    const asked = [...this.#asked.values()].map(({ resource, namespaces }) => ({ ...resource, namespaces }))
    if (asked.length === 0) webhooks.remove(hook)
    else webhooks.set({ ...hook, rules: [], asked: asked.toSorted(byKey) })
  }

  #removeNeedless(now: number): void {
    if (this.#nextEnd() > now) return
    this.#removedAt = now
    for (const [key, { namespaces, needlessSince }] of this.#asked) {
      for (const [area, since] of needlessSince)
        if (since + LEAST_LINGER_MS <= now) {
          namespaces.delete(area)
          needlessSince.delete(area)
        }
      if (namespaces.size === 0) this.#asked.delete(key)
    }
  }

  #cover(): void {
    const { webhooks } = this.#options
    const coverage = new Map([...this.#asked].map(([key, { namespaces }]) => [key, new Set(namespaces)]))
    this.#covered.covers(webhooks.version, coverage)
    // The rules may be wider than what is needed just now.
    if (webhooks.isLive) this.#becameLive(webhooks.version)
  }

  #becameLive(version: number): void {
    this.#covered.prove(version)
    for (const handler of this.#liveHandlers) handler()
  }

  /** Looks again at this time, or earlier. */
  #wake(at: number, now: number): void {
    if (this.#wakeAt <= at || this.#stopping.signal.aborted) return
    this.#waiting.abort()
    const waiting = new AbortController()
    this.#waiting = waiting
    this.#wakeAt = at
    void pause(this.#options.clock, Math.max(0, at - now), waiting.signal).then(() => {
      if (waiting.signal.aborted) return
      this.#wakeAt = Infinity
      this.#advance()
    })
  }
}

const ownerOf = (area: string): string => (area === EVERYWHERE || area.startsWith('{') ? '' : area)

const byKey = (a: AskedResource, b: AskedResource): number => (a.key < b.key ? -1 : 1)

const isSameRules = (a: AskedResource, b: AskedResource): boolean => JSON.stringify(a.rules) === JSON.stringify(b.rules)

/** Returns the common coverage. Rules in between may have left out parts that only one of them covers. */
function intersection(a: Coverage, b: Coverage): Coverage {
  const both = new Map<string, AskedNamespaces>()
  for (const [key, namespaces] of a) {
    const others = b.get(key)
    if (others !== undefined) both.set(key, common(namespaces, others))
  }
  return both
}

function common(a: AskedNamespaces, b: AskedNamespaces): AskedNamespaces {
  if (!a.has(EVERYWHERE)) return b.has(EVERYWHERE) ? a : a.intersection(b)
  return b.has(EVERYWHERE) ? a.union(b) : b
}

/** So many changes of one namespace come at once … */
const MOST_AT_ONCE = 8
/** … and then one after each of these times. */
const REFILL_MS = 2_000
/** Beyond so many namespaces those are forgotten whose changes were long ago. */
const MOST_REMEMBERED = 1_000

/** How often each namespace may have rules changed. What no single namespace needs is not bounded here. */
class ChangeAllowance {
  /** When the allowance of a namespace is whole again. */
  readonly #wholeAt = new Map<string, number>()

  /** Takes a change of a namespace from its allowance; false where nothing is left of it. `owner`: '' for no single one. */
  take(owner: string, now: number): boolean {
    if (owner === '') return true
    if (this.freeAt(owner, now) > now) return false
    if (this.#wholeAt.size >= MOST_REMEMBERED)
      for (const [other, at] of this.#wholeAt) if (at <= now) this.#wholeAt.delete(other)
    this.#wholeAt.set(owner, Math.max(this.#wholeAt.get(owner) ?? 0, now) + REFILL_MS)
    return true
  }

  /** When the next change may be taken. */
  freeAt(owner: string, now: number): number {
    const wholeAt = owner === '' ? now : (this.#wholeAt.get(owner) ?? now)
    return Math.max(now, wholeAt - (MOST_AT_ONCE - 1) * REFILL_MS)
  }
}
