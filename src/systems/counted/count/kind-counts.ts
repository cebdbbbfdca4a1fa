import type { KubeObject } from '../../../machinery/object.ts'
import type { GroupVersionResource } from '../../../machinery/group-version.ts'
import { qualified } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { CountedKind, type CountedKindOptions } from './kind.ts'
import type { ObjectCost } from './objects.ts'
import { type NamespaceSelection, QuotaCount } from './quota-count.ts'

/** An amount that the objects of one kind count towards. */
export interface QuotaPart {
  /** Its name in the ledger. */
  readonly name: string
  /** Its name among the amounts of an object, and among the limits of the quota. */
  readonly amount: string
}

/** The cost of an object for one quota: an amount that is left out is 0. A text says why it cannot be measured. */
export type Measured =
  /** `isEmpty`: is there nothing in the object of what the quota adds up? */
  { readonly amounts: ResourceList; readonly isEmpty?: boolean } | { readonly problem: string }

/** A quota that counts kinds. */
interface Counting {
  /** The only namespace that is counted in; undefined: all that are selected. */
  readonly countedIn: string | undefined
  readonly selection: NamespaceSelection
}

export interface KindCountsOptions<T> {
  readonly client: Pick<KubeClient, 'listPages'>
  readonly clock: Clock
  /** As `SystemCaches.follow`. */
  readonly follow: CountedKindOptions['follow']
  /** As `QuotaTracking.measure`. */
  readonly measure: (object: KubeObject, resource: ServerResource) => (tracked: T) => Measured | undefined
}

/** A quota that counts a kind, by amounts. */
interface Counter {
  readonly counts: readonly { readonly amount: string; readonly part: string; readonly count: QuotaCount }[]
  /** The costs that objects have, each once: most objects cost the same as others. */
  readonly costs: Map<string, readonly ObjectCost[]>
}

type Counters<T> = Map<T, Counter>

/** A kind that quotas count, and these quotas by the namespaces that they count in. */
export interface KindOfQuotas<T> {
  readonly resource: ServerResource
  readonly counted: CountedKind
  readonly inNamespace: Map<string, Counters<T>>
  readonly everywhere: Counters<T>
}

/** Begins the text of the cost of an object without anything that the quota adds up. */
const EMPTY = '-'
const NOTHING: readonly ObjectCost[] = []
const NO_KINDS: readonly never[] = []

/** More different costs of one quota than these are not remembered. */
const MOST_COSTS = 1024

/** The kinds that quotas count now: each is watched once, for as long as any quota counts it. */
export class KindCounts<T extends Counting> {
  readonly #options: KindCountsOptions<T>
  readonly #kinds = new Map<string, KindOfQuotas<T>>()
  /** The same by group and resource. */
  readonly #versions = new Map<string, readonly KindOfQuotas<T>[]>()
  readonly #stopping = new Set<Promise<void>>()

  constructor(options: KindCountsOptions<T>) {
    this.#options = options
  }

  /** Those that are counted now. */
  get all(): Iterable<KindOfQuotas<T>> {
    return this.#kinds.values()
  }

  /** The kind behind the resource of a request, if any quota counts it in this version. */
  ofResource({ group, version, resource }: GroupVersionResource): KindOfQuotas<T> | undefined {
    return this.#kinds.get(keyOf({ group, version, resource }))
  }

  /** The kinds behind the resource of a request that quotas count in other versions. */
  inOtherVersions({ group, version, resource }: GroupVersionResource): readonly KindOfQuotas<T>[] {
    const versions = this.#versions.get(qualified({ group, resource })) ?? NO_KINDS
    const [first] = versions
    // Nearly every kind is counted in one version. Each reviewed request comes here.
    if (versions.length <= 1) return first === undefined || first.resource.version === version ? NO_KINDS : versions
    return versions.filter((kind) => kind.resource.version !== version)
  }

  /** The quotas that count a kind in a namespace. */
  *quotasOf({ inNamespace, everywhere }: KindOfQuotas<T>, namespace: string): Generator<T> {
    yield* inNamespace.get(namespace)?.keys() ?? []
    yield* everywhere.keys()
  }

  /** Counts a kind for a quota. `changed` is called whenever one of the counts changes. */
  add(tracked: T, resource: ServerResource, parts: readonly QuotaPart[], changed: () => void) {
    const kind = this.#kinds.get(keyOf(resource)) ?? this.#watch(resource)
    const { countedIn } = tracked
    const counts = parts.map(({ name, amount }) => {
      return { part: name, amount, count: new QuotaCount(countedIn, tracked.selection, changed) }
    })
    const counters = countersOf(kind, countedIn) ?? new Map<T, Counter>()
    if (countedIn !== undefined) kind.inNamespace.set(countedIn, counters)
    counters.set(tracked, { counts, costs: new Map() })
    for (const { count } of counts) kind.counted.add(count)
    return counts.map(({ part, count }) => ({ part, count, counted: kind.counted }))
  }

  /** Ends to count a kind for a quota. A kind that no quota counts is watched no longer. */
  drop(tracked: T, resource: ServerResource): void {
    const kind = this.#kinds.get(keyOf(resource))
    const { countedIn } = tracked
    const counters = kind && countersOf(kind, countedIn)
    const counter = counters?.get(tracked)
    if (kind === undefined || counters === undefined || counter === undefined) return
    counters.delete(tracked)
    if (countedIn !== undefined && counters.size === 0) kind.inNamespace.delete(countedIn)
    for (const { count } of counter.counts) kind.counted.drop(count)
    if (kind.inNamespace.size > 0 || kind.everywhere.size > 0) return
    this.#kinds.delete(keyOf(resource))
    const others = this.inOtherVersions(resource)
    if (others.length > 0) this.#versions.set(qualified(resource), others)
    else this.#versions.delete(qualified(resource))
    const stopping = kind.counted.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stopping, ...[...this.#kinds.values()].map(({ counted }) => counted.stop())])
  }

  #watch(resource: ServerResource): KindOfQuotas<T> {
    const { client, clock, follow, measure } = this.#options
    const inNamespace: KindOfQuotas<T>['inNamespace'] = new Map()
    const everywhere: KindOfQuotas<T>['everywhere'] = new Map()
    const costsOf = (object: KubeObject): readonly ObjectCost[] => {
      const here = inNamespace.get(object.metadata.namespace ?? '')
      if (here === undefined && everywhere.size === 0) return NOTHING
      const of = measure(object, resource)
      const costs: (readonly ObjectCost[])[] = []
      for (const counters of [here, everywhere])
        for (const [tracked, counter] of counters ?? []) {
          const cost = costIn(counter, of(tracked))
          if (cost.length > 0) costs.push(cost)
        }
      return costs.length === 1 ? (costs[0] ?? NOTHING) : costs.flat()
    }
    const counted = new CountedKind({ client, clock, follow, kind: resource, measure: costsOf })
    const kind = { resource, counted, inNamespace, everywhere }
    this.#kinds.set(keyOf(resource), kind)
    this.#versions.set(qualified(resource), [...(this.#versions.get(qualified(resource)) ?? []), kind])
    // Quotas that come in this turn are counted by the first list.
    queueMicrotask(() => counted.start())
    return kind
  }
}

/** Where the quotas are that count a kind in a namespace, or in all. */
const countersOf = <T>(kind: KindOfQuotas<T>, countedIn: string | undefined): Counters<T> | undefined =>
  countedIn === undefined ? kind.everywhere : kind.inNamespace.get(countedIn)

/** Nothing where the quota does not count the object. */
function costIn({ counts, costs }: Counter, measured: Measured | undefined): readonly ObjectCost[] {
  if (measured === undefined) return NOTHING
  if ('problem' in measured) {
    const { problem } = measured
    return counts.map(({ count }) => ({ count, amount: Quantity.zero, problem }))
  }
  const { amounts, isEmpty = false } = measured
  let key = isEmpty ? EMPTY : ''
  for (const { amount } of counts) key += `${amountIn(amounts, amount).toString()} `
  const known = costs.get(key)
  if (known !== undefined) return known
  if (costs.size >= MOST_COSTS) costs.clear()
  const empty = isEmpty ? { isEmpty } : {}
  const cost = counts.map(({ amount, count }) => ({ count, amount: amountIn(amounts, amount), ...empty }))
  costs.set(key, cost)
  return cost
}

const amountIn = (amounts: ResourceList, name: string): Quantity => quantityOf(amounts, name) ?? Quantity.zero

const keyOf = ({ group, version, resource }: GroupVersionResource): string => `${group}/${version}/${resource}`
