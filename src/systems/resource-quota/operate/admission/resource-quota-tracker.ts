import { type ResourceQuota, scopeRequirements } from '../../../../api/resource-quota/resource-quota.ts'
import { type Evaluator, type Measuring, ScopeError } from '../../../../charges/evaluator.ts'
import { resourceClaimEvaluator } from '../../../../charges/evaluators/resource-claim.ts'
import { jsonEqual } from '../../../../machinery/json-value.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { qualified } from '../../../../machinery/status.ts'
import { Quantity, QuantityError } from '../../../../quantity/quantity.ts'
import { quantityOf } from '../../../../quantity/resource-list.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { WorkQueue } from '../../../../runtime/tasks/work-queue.ts'
import { CountedKind, type CountedKindOptions } from '../../../counted/count/counted-kind.ts'
import type { ObjectCost } from '../../../counted/count/counted-objects.ts'
import { type NamespaceSelection, QuotaCount } from '../../../counted/count/quota-count.ts'
import { keepQuota, RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { ChangedKeys } from '../../../../operator/shell/changed-keys.ts'
import { CRD_KIND, type KeptCrd, keepServedKinds } from '../../../../operator/cluster/kept-crd.ts'
import { ServedKinds } from '../../../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { countsClaims, isClaims, ResourceClaimSurroundings } from './resource-claim-surroundings.ts'
import { type CountedResource, hardOf, TrackedResourceQuota } from './tracked-resource-quota.ts'

export interface ResourceQuotaTrackerOptions {
  readonly context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>
  /** Is this a quota that nobody should enforce? */
  readonly isIgnored: (quota: ResourceQuota) => boolean
}

/** A resource that quotas count. */
interface WatchedKind {
  readonly evaluator: Evaluator
  readonly resource: ServerResource
  readonly counted: CountedKind
  readonly inNamespace: Map<string, Map<TrackedResourceQuota, Counter>>
}

interface Counter {
  readonly counts: ReadonlyMap<string, QuotaCount>
  /** The costs that objects have, each once: most objects cost the same as others. */
  readonly costs: Map<string, readonly ObjectCost[]>
}

interface Followed {
  readonly crds: CacheView<KeptCrd>
  readonly served: ServedKinds
  /** The objects that the costs of ResourceClaims depend on. */
  readonly surroundings: ResourceClaimSurroundings
  /** Finds the resources of quotas. */
  readonly resolving: WorkQueue
  /** Counts the objects of a resource in a namespace again, whose costs change with time. */
  readonly expiring: WorkQueue
}

/** How long to wait before the API server is asked again for a resource that it does not serve. */
const ASK_AGAIN_MS = 15_000
/** So soon after a change of its CRD the API server may still offer, or not offer yet, a kind. */
const ASK_SOON_MS = 500
/** More different costs of one quota than these are not remembered. */
const MOST_COSTS = 1024
const EVERYTHING: NamespaceSelection = { has: () => true }

/** All ResourceQuotas as this replica knows them, with the objects that each counts. Every replica has one, whether it leads or not. */
export class ResourceQuotaTracker {
  readonly #options: ResourceQuotaTrackerOptions
  readonly #quotas: CacheView<ResourceQuota>
  readonly #tracked = new Map<string, TrackedResourceQuota>()
  readonly #inNamespace = new Map<string, Map<string, TrackedResourceQuota>>()
  readonly #kinds = new Map<string, WatchedKind>()
  readonly #stopping = new Set<Promise<void>>()
  readonly #changed = new ChangedKeys()
  /** By the quotas that take their place and are not counted yet. */
  readonly #replaced = new Map<TrackedResourceQuota, TrackedResourceQuota>()
  /** When resources were not served, in milliseconds of the monotonic clock. */
  readonly #absent = new Map<string, number>()
  #followed: Followed | undefined
  #unfollow: () => void = () => {}

  constructor(options: ResourceQuotaTrackerOptions) {
    this.#options = options
    // A replica is ready when it knows them: API servers ask every one that is.
    this.#quotas = options.context.caches.view({ kind: RESOURCE_QUOTAS, keep: keepQuota })
  }

  /** Begins to follow quotas. */
  begin(): void {
    if (this.#followed !== undefined) return
    const { caches, client, logger } = this.#options.context
    const followed: Followed = {
      crds: caches.optionalView({ kind: CRD_KIND, keep: keepServedKinds }),
      served: new ServedKinds(client),
      surroundings: new ResourceClaimSurroundings({
        context: this.#options.context,
        onChange: (namespace) => this.#followed?.expiring.add(`${qualified(resourceClaimEvaluator)}/${namespace}`),
        onState: () => this.#resolveClaims(),
      }),
      resolving: new WorkQueue({
        workers: 4,
        work: (key, signal) => this.#resolve(key, signal),
        onError: (key, error) => logger.warn({ quota: key, error }, 'the resources of a quota could not be found out'),
      }),
      expiring: new WorkQueue({
        work: (place) => this.#countAgain(place),
        onError: (place, error) => logger.warn({ place, error }, 'the objects of a quota could not be counted again'),
      }),
    }
    this.#followed = followed
    followed.crds.onChange((old, current) => {
      const group = (current ?? old)?.group
      if (group !== undefined) this.#crdChanged(group)
    })
    this.#unfollow = this.#quotas.onChange((old, current) => {
      if (current !== undefined) this.#track(current)
      else if (old !== undefined) this.#untrack(new TrackedResourceQuota(old).key)
    })
  }

  /** Forgets all quotas and ends their watches. */
  async end(): Promise<void> {
    const followed = this.#followed
    if (followed === undefined) return
    this.#followed = undefined
    this.#unfollow()
    followed.crds.release()
    followed.surroundings.stop()
    this.#absent.clear()
    for (const key of this.#tracked.keys()) this.#untrack(key)
    await Promise.all([followed.resolving.stop(), followed.expiring.stop(), ...this.#stopping])
  }

  /** Is every quota known? */
  get isSynced(): boolean {
    return this.#followed !== undefined && this.#quotas.synced
  }

  get all(): Iterable<TrackedResourceQuota> {
    return this.#tracked.values()
  }

  get(key: string): TrackedResourceQuota | undefined {
    return this.#tracked.get(key)
  }

  /** The quotas of a namespace in the order of their names. */
  in(namespace: string): readonly TrackedResourceQuota[] {
    const quotas = this.#inNamespace.get(namespace)
    return quotas === undefined ? [] : [...quotas.values()].toSorted((a, b) => (a.ref.name < b.ref.name ? -1 : 1))
  }

  /** Has it begun to follow quotas? */
  get hasBegun(): boolean {
    return this.#followed !== undefined
  }

  /** Has every change been reported? */
  get isReported(): boolean {
    return this.#changed.isReported
  }

  /** Calls a handler, soon and not for each change alone, with the keys of quotas whose specs or counts changed. Gives what ends it. */
  onChange(handler: (key: string) => void): () => void {
    return this.#changed.onChange(handler, this.#tracked.keys())
  }

  /** Takes a quota as it was just read. */
  observed(quota: KubeObject): void {
    this.#quotas.observed(quota)
  }

  /** Asks the API server again for the resources of a quota. */
  lookAgain({ key, evaluators }: TrackedResourceQuota): void {
    for (const { group } of evaluators) this.#forget(group)
    this.#followed?.resolving.add(key)
  }

  /** The surroundings that objects are measured in now. */
  measuring(): Measuring {
    return { now: this.#options.context.clock.now(), lookup: this.#followed?.surroundings.lookup }
  }

  #track(quota: ResourceQuota): void {
    if (this.#options.isIgnored(quota)) return
    const tracked = new TrackedResourceQuota(quota)
    const { key, ref } = tracked
    const known = this.#tracked.get(key)
    this.#changed.add(key)
    if (known !== undefined && countsAlike(known.quota, quota)) {
      known.quota = quota
      known.hard = hardOf(quota)
      return
    }
    if (known !== undefined) this.#replace(known, tracked)
    this.#tracked.set(key, tracked)
    const there = this.#inNamespace.get(ref.namespace) ?? new Map<string, TrackedResourceQuota>()
    this.#inNamespace.set(ref.namespace, there.set(ref.name, tracked))
    this.#followed?.surroundings.want(tracked)
    this.#followed?.resolving.add(key)
  }

  #untrack(key: string): void {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined) return
    this.#tracked.delete(key)
    const there = this.#inNamespace.get(tracked.ref.namespace)
    there?.delete(tracked.ref.name)
    if (there?.size === 0) this.#inNamespace.delete(tracked.ref.namespace)
    this.#endCounting(tracked)
    this.#changed.add(key)
  }

  /** Kinds that both count stay watched: the old quota counts until the new one does. */
  #replace(known: TrackedResourceQuota, tracked: TrackedResourceQuota): void {
    const { uid, resourceVersion = '' } = tracked.quota.metadata
    if (known.quota.metadata.uid === uid) {
      tracked.hasHadLedger = known.hasHadLedger
      const isWidened = tracked.rule.names.some((name) => !known.rule.names.includes(name))
      tracked.widenedBy = isWidened ? resourceVersion : known.widenedBy
    }
    this.#endReplaced(known)
    this.#replaced.set(tracked, known)
  }

  #endReplaced(tracked: TrackedResourceQuota): void {
    const replaced = this.#replaced.get(tracked)
    this.#replaced.delete(tracked)
    if (replaced !== undefined) this.#endCounting(replaced)
  }

  #endCounting(tracked: TrackedResourceQuota): void {
    this.#endReplaced(tracked)
    for (const { evaluator } of tracked.targets ?? []) this.#drop(tracked, evaluator)
    this.#followed?.surroundings.release(tracked)
  }

  /** Finds the resources of a quota on the API server, and counts them from then on. */
  async #resolve(key: string, signal: AbortSignal): Promise<void> {
    const tracked = this.#tracked.get(key)
    const followed = this.#followed
    if (tracked === undefined || followed === undefined) return
    const found = await Promise.all(
      tracked.evaluators.map(async (evaluator) => ({
        evaluator,
        resource: await this.#resourceOf(followed, evaluator, signal),
      })),
    )
    // Claims are measured when it is known what their costs depend on, which says so when it is listed.
    const isWaiting = !followed.surroundings.isListed
    if (isWaiting && found.some(({ evaluator, resource }) => resource !== undefined && isClaims(evaluator)))
      return followed.resolving.addAfter(key, ASK_SOON_MS)
    if (this.#tracked.get(key) !== tracked) return
    tracked.targets = found.flatMap(({ evaluator, resource }): readonly CountedResource[] => {
      const known = tracked.target(evaluator)
      if (resource !== undefined) return [known ?? this.#add(tracked, evaluator, resource)]
      if (known !== undefined) this.#drop(tracked, evaluator)
      return []
    })
    this.#endReplaced(tracked)
    if (tracked.targets.length < found.length) followed.resolving.addAfter(key, ASK_AGAIN_MS)
    this.#changed.add(key)
  }

  /** The resource as the API server offers it. Whatever it does not serve it is asked for now and then, once for all quotas. */
  async #resourceOf(
    { served }: Followed,
    evaluator: Evaluator,
    signal: AbortSignal,
  ): Promise<ServerResource | undefined> {
    const id = qualified(evaluator)
    const now = this.#options.context.clock.monotonic()
    if (now - (this.#absent.get(id) ?? -Infinity) < ASK_AGAIN_MS) return undefined
    if (this.#absent.delete(id)) served.forget(evaluator.group)
    const resource = await served.inAnyVersion(evaluator, { signal })
    if (resource !== undefined && isCountable(resource)) return resource
    this.#absent.set(id, now)
    return undefined
  }

  #forget(group: string): void {
    this.#followed?.served.forget(group)
    for (const id of this.#absent.keys()) if (groupOf(id) === group) this.#absent.delete(id)
  }

  #add(tracked: TrackedResourceQuota, evaluator: Evaluator, resource: ServerResource): CountedResource {
    const kind = this.#kinds.get(qualified(evaluator)) ?? this.#watch(evaluator, resource)
    const { namespace } = tracked.ref
    const changed = (): void => this.#changed.add(tracked.key)
    const counts = new Map(
      tracked.rule.countedBy(evaluator).map((name) => [name, new QuotaCount(namespace, EVERYTHING, changed)]),
    )
    const there = kind.inNamespace.get(namespace) ?? new Map<TrackedResourceQuota, Counter>()
    kind.inNamespace.set(namespace, there.set(tracked, { counts, costs: new Map() }))
    for (const count of counts.values()) kind.counted.add(count)
    return { evaluator, resource: kind.resource, counted: kind.counted, counts }
  }

  /** A resource that no quota counts is watched no longer. */
  #drop(tracked: TrackedResourceQuota, evaluator: Evaluator): void {
    const kind = this.#kinds.get(qualified(evaluator))
    const there = kind?.inNamespace.get(tracked.ref.namespace)
    const counter = there?.get(tracked)
    if (kind === undefined || there === undefined || counter === undefined) return
    there.delete(tracked)
    if (there.size === 0) kind.inNamespace.delete(tracked.ref.namespace)
    for (const count of counter.counts.values()) kind.counted.drop(count)
    if (kind.counted.isUsed) return
    this.#kinds.delete(qualified(evaluator))
    const stopping = kind.counted.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }

  #watch(evaluator: Evaluator, resource: ServerResource): WatchedKind {
    const { caches, client, clock } = this.#options.context
    const inNamespace: WatchedKind['inNamespace'] = new Map()
    const measure = (object: KubeObject): readonly ObjectCost[] => {
      const counters = inNamespace.get(object.metadata.namespace ?? '')
      if (counters === undefined) return []
      this.#noteExpiry(evaluator, object)
      const costs = [...counters].map(([{ rule }, counter]) => this.#costs(rule, counter, evaluator, object))
      return costs.length === 1 ? (costs[0] ?? []) : costs.flat()
    }
    const follow: CountedKindOptions['follow'] = (kind, sink) => caches.follow(kind, sink)
    const counted = new CountedKind({ client, clock, follow, kind: resource, measure })
    const kind = { evaluator, resource, counted, inNamespace }
    this.#kinds.set(qualified(evaluator), kind)
    // Those that come in this turn are counted by the first list.
    queueMicrotask(() => counted.start())
    return kind
  }

  /** The amounts of an object by the limits of a quota; none for an object that the quota does not count. */
  #costs(
    rule: TrackedResourceQuota['rule'],
    { counts, costs }: Counter,
    evaluator: Evaluator,
    object: KubeObject,
  ): readonly ObjectCost[] {
    try {
      if (!rule.match(object, evaluator).counted) return []
      const usage = evaluator.usage(object, this.measuring())
      const amounts = [...counts].map(([name, count]) => ({ count, amount: quantityOf(usage, name) ?? Quantity.zero }))
      const text = amounts.map(({ amount }) => amount.toString()).join(' ')
      const known = costs.get(text)
      if (known !== undefined) return known
      if (costs.size >= MOST_COSTS) costs.clear()
      costs.set(text, amounts)
      return amounts
    } catch (error) {
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
      return [...counts.values()].map((count) => ({ count, amount: Quantity.zero, problem: error.message }))
    }
  }

  #noteExpiry(evaluator: Evaluator, object: KubeObject): void {
    const at = evaluator.expiry?.(object)
    const now = this.#options.context.clock.now()
    if (at === undefined || at < now) return
    this.#followed?.expiring.addAfter(`${qualified(evaluator)}/${object.metadata.namespace ?? ''}`, at - now + 1)
  }

  async #countAgain(place: string): Promise<void> {
    const slash = place.indexOf('/')
    const namespace = place.slice(slash + 1)
    const kind = this.#kinds.get(place.slice(0, slash))
    if (namespace === '') await kind?.counted.list()
    else if (kind?.inNamespace.has(namespace) === true) await kind.counted.list(namespace)
  }

  #crdChanged(group: string): void {
    this.#forget(group)
    for (const tracked of this.#tracked.values()) {
      if (!tracked.evaluators.some((one) => one.group === group)) continue
      this.#followed?.resolving.add(tracked.key)
      this.#followed?.resolving.addAfter(tracked.key, ASK_SOON_MS)
    }
  }

  #resolveClaims(): void {
    for (const tracked of this.#tracked.values()) if (countsClaims(tracked)) this.#followed?.resolving.add(tracked.key)
  }

  /** Has the change of a quota reported that only the caller knows of. */
  noteChange(key: string): void {
    this.#changed.add(key)
  }
}

/** Do both count the same objects at the same costs? Their limits may differ. */
function countsAlike(a: ResourceQuota, b: ResourceQuota): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    jsonEqual(Object.keys(hardOf(a)).toSorted(), Object.keys(hardOf(b)).toSorted()) &&
    jsonEqual(scopeRequirements(a.spec), scopeRequirements(b.spec))
  )
}

/** Quotas count nothing outside namespaces. */
const isCountable = ({ namespaced, verbs }: ServerResource): boolean =>
  namespaced && verbs.includes('list') && verbs.includes('watch')

const groupOf = (id: string): string => (id.includes('.') ? id.slice(id.indexOf('.') + 1) : '')
