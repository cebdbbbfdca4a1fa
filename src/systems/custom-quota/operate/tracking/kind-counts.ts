import { costOf, findsNothing } from '../../decide/object-cost.ts'
import { NamespaceEffort } from '../../decide/quota-bounds.ts'
import { MeasureError } from '../../decide/measure-error.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import type { GroupVersionResource } from '../../../../machinery/group-version.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { CountedKind, type CountedKindOptions } from '../../../counted/count/counted-kind.ts'
import type { ObjectCost } from '../../../counted/count/counted-objects.ts'
import { QuotaCount } from '../../../counted/count/quota-count.ts'
import type { TrackedQuota } from './tracked-custom-quota.ts'

export interface KindCountsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** As `SystemCaches.follow`. */
  readonly follow: CountedKindOptions['follow']
  /** Says why an object could not be measured. */
  readonly problemText: (error: MeasureError, object: KubeObject) => string
}

/** A quota that counts a kind. */
interface Counter {
  readonly tracked: TrackedQuota
  readonly count: QuotaCount
  /** The costs that objects have, each once: most objects cost the same as others. */
  readonly costs: Map<string, readonly [ObjectCost]>
}

/** A kind that quotas count, and these quotas by the namespaces that they count in. */
export interface KindOfQuotas {
  readonly resource: ServerResource
  readonly counted: CountedKind
  readonly inNamespace: Map<string, Map<TrackedQuota, Counter>>
  readonly everywhere: Map<TrackedQuota, Counter>
}

/** Stands for the cost of objects without anything that the quota adds up. */
const EMPTY = ''

/** More different costs of one quota than these are not remembered. */
const MOST_COSTS = 1024

/** The kinds that quotas count now: each is watched once, for as long as any quota counts it. */
export class KindCounts {
  readonly #options: KindCountsOptions
  readonly #kinds = new Map<string, KindOfQuotas>()
  readonly #stopping = new Set<Promise<void>>()
  /** Counts how often the kinds or their quotas have changed. */
  changes = 0

  constructor(options: KindCountsOptions) {
    this.#options = options
  }

  /** Those that are counted now. */
  get all(): Iterable<KindOfQuotas> {
    return this.#kinds.values()
  }

  /** The kind behind the resource of a request, if any quota counts it in this version. */
  ofResource({ group, version, resource }: GroupVersionResource): KindOfQuotas | undefined {
    return this.#kinds.get(keyOf({ group, version, resource }))
  }

  /** The quotas that count a kind in a namespace. */
  *quotasOf({ inNamespace, everywhere }: KindOfQuotas, namespace: string): Generator<TrackedQuota> {
    yield* inNamespace.get(namespace)?.keys() ?? []
    yield* everywhere.keys()
  }

  /** Counts a kind for a quota. `changed` is called whenever that count changes. */
  add(
    tracked: TrackedQuota,
    resource: ServerResource,
    changed: () => void,
  ): Pick<Counter, 'count'> & Pick<KindOfQuotas, 'counted'> {
    const kind = this.#kinds.get(keyOf(resource)) ?? this.#watch(resource)
    const namespace = tracked.isGlobal ? undefined : tracked.namespace
    const count = new QuotaCount(namespace, tracked.selection, changed)
    const counters = namespace === undefined ? kind.everywhere : (kind.inNamespace.get(namespace) ?? new Map())
    if (namespace !== undefined) kind.inNamespace.set(namespace, counters)
    counters.set(tracked, { tracked, count, costs: new Map() })
    this.changes++
    kind.counted.add(count)
    return { count, counted: kind.counted }
  }

  /** Ends to count a kind for a quota. A kind that no quota counts is watched no longer. */
  drop(tracked: TrackedQuota, resource: ServerResource): void {
    const kind = this.#kinds.get(keyOf(resource))
    if (kind === undefined) return
    const namespace = tracked.isGlobal ? undefined : tracked.namespace
    const counters = namespace === undefined ? kind.everywhere : kind.inNamespace.get(namespace)
    const counter = counters?.get(tracked)
    if (counters === undefined || counter === undefined) return
    counters.delete(tracked)
    this.changes++
    if (namespace !== undefined && counters.size === 0) kind.inNamespace.delete(namespace)
    kind.counted.drop(counter.count)
    if (kind.counted.isUsed) return
    this.#kinds.delete(keyOf(resource))
    const stopping = kind.counted.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stopping, ...[...this.#kinds.values()].map(({ counted }) => counted.stop())])
  }

  #watch(resource: ServerResource): KindOfQuotas {
    const { client, clock, follow } = this.#options
    const inNamespace: KindOfQuotas['inNamespace'] = new Map()
    const everywhere: KindOfQuotas['everywhere'] = new Map()
    const measure = (object: KubeObject): readonly ObjectCost[] =>
      this.#costs(object, inNamespace.get(object.metadata.namespace ?? ''), everywhere)
    const counted = new CountedKind({ client, clock, follow, kind: resource, measure })
    const kind = { resource, counted, inNamespace, everywhere }
    this.#kinds.set(keyOf(resource), kind)
    // Quotas that come in this turn are counted by the first list.
    queueMicrotask(() => counted.start())
    return kind
  }

  #costs(
    object: KubeObject,
    ...all: readonly (ReadonlyMap<TrackedQuota, Counter> | undefined)[]
  ): readonly ObjectCost[] {
    const effort = new NamespaceEffort()
    const costs = all.flatMap((counters) =>
      [...(counters?.values() ?? [])].map((counter) => this.#cost(counter, object, effort)),
    )
    const found = costs.filter((cost) => cost !== undefined)
    if (found.length === 1 && found[0] !== undefined) return found[0]
    return found.flat()
  }

  /** Undefined where the quota does not count the object. */
  #cost(
    { tracked, count, costs }: Counter,
    object: KubeObject,
    effort: NamespaceEffort,
  ): readonly [ObjectCost] | undefined {
    const { compiled } = tracked
    if (compiled === undefined) return undefined
    try {
      const bound = tracked.isGlobal ? undefined : effort
      const amount = costOf(compiled, object, bound)
      if (amount === undefined) return undefined
      const isEmpty = amount.isZero() && findsNothing(compiled, object, bound)
      const key = isEmpty ? EMPTY : amount.toString()
      const known = costs.get(key)
      if (known !== undefined) return known
      if (costs.size >= MOST_COSTS) costs.clear()
      const cost = [isEmpty ? { count, amount, isEmpty } : { count, amount }] as const
      costs.set(key, cost)
      return cost
    } catch (error) {
      if (!(error instanceof MeasureError)) throw error
      return [{ count, amount: Quantity.zero, problem: this.#options.problemText(error, object) }]
    }
  }
}

const keyOf = ({ group, version, resource }: GroupVersionResource): string => `${group}/${version}/${resource}`
