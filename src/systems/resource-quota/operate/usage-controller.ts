import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { countUsage } from '../../../charges/count-usage.ts'
import { type Evaluator, type Measuring, ScopeError } from '../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { DEVICE_CLASSES, resourceClaimEvaluator } from '../../../charges/evaluators/resource-claim.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import { InFlightUsage, increases, usageToWrite } from '../decide/count/in-flight-usage.ts'
import { countingRule, type QuotaRule } from '../decide/quota-rule.ts'
import { changesUsage, countedResources, recount } from '../decide/count/recount.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { type GroupResource, isNotFound, qualified } from '../../../machinery/status.ts'
import { ifReadable, QuantityError } from '../../../quantity/quantity.ts'
import { equals, formatResourceList, mask, max, type ResourceList } from '../../../quantity/resource-list.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import type { ChangeInfo } from '../../../kube/cache/watch-cache.ts'
import { keepQuota, RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import type {
  Controller,
  ControllerSource,
  ReconcileRequest,
  ReconcileResult,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import { CRD_KIND, type KeptCrd, keepServedKinds } from '../../../operator/cluster/kept-crd.ts'
import { ServedKinds } from '../../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { WatchedObjects, LOOK_AGAIN_MS } from './watched-objects.ts'
import type { ResourceQuotaAdmission } from './admission/quota.ts'
import type { ResourceQuotaOptions } from './options.ts'
import { patienceOf } from '../../counted/replica/patience.ts'

export interface UsageControllerOptions extends Pick<ResourceQuotaOptions, 'requestTimeoutMs' | 'workers'> {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'caches' | 'recorder'>
  /** Is this a quota that nobody should count? */
  readonly isIgnored: (quota: ResourceQuota) => boolean
  /** Allot's admission; undefined where allot never refuses anything. */
  readonly admission: Pick<ResourceQuotaAdmission, 'usageUnderSpec' | 'onCharge'> | undefined
}

/** Quotas are counted again this often, as a check; upstream's `--resource-quota-sync-period`. */
const RESYNC_MS = 300_000
/** A namespace is counted again at most after this time, and after so many times the time that its last count took. */
const LEAST_REST_MS = 50
const REST_FACTOR = 10

interface KnownQuota {
  readonly uid: string | undefined
  readonly resources: readonly GroupResource[]
  readonly inFlight: InFlightUsage
  /** Has it been compared with what is stored? Until then nobody knows which part of its usage is in flight. */
  isCompared: boolean
}

/**
 * Counts ResourceQuotas where the cluster has no controller for it, such as on Karmada's API server. It brings new limits into force and
 * gives back the room of objects that are gone. The admission plugin of that API server charges what is created meanwhile. Room that it has
 * charged is not given back before its object was observed, or can no longer be stored. Where allot admits requests itself, the usage
 * contains what it has allowed and may still be stored. Lower limits are enforced only once all replicas go by them.
 */
export class UsageController implements Controller {
  readonly name = 'resourcequota-usage'
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: UsageControllerOptions
  readonly #known = new Map<string, KnownQuota>()
  readonly #rules = new WeakMap<ResourceQuota, QuotaRule>()
  #enqueue: (request: ReconcileRequest) => void = () => {}
  #isWanted = false
  #isFollowed = false
  #quotas: CacheView<ResourceQuota> | undefined
  #objects: WatchedObjects | undefined
  #crds: CacheView<KeptCrd> | undefined

  constructor(options: UsageControllerOptions) {
    const { workers, admission } = options
    this.#options = options
    this.workers = workers
    this.sources = [
      { follow: (_, enqueue) => this.#follow(enqueue) },
      { follow: (_, enqueue) => admission?.onCharge((key) => enqueue({ key })) ?? (() => undefined) },
    ]
  }

  /** Begins to count as soon as this is followed, or ends it and gives up all caches. */
  counts(isWanted: boolean): void {
    this.#isWanted = isWanted
    if (!isWanted) this.#end()
    else if (this.#isFollowed && this.#quotas === undefined) this.#begin()
  }

  /** `namespace`: that whose quotas are counted. */
  async reconcile(namespace: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock } = this.#options.context
    const quotas = this.#in(namespace)
    if (quotas.length === 0) return {}
    const began = clock.monotonic()
    const waits: number[] = [RESYNC_MS]
    const failures: unknown[] = []
    for (const quota of quotas) {
      try {
        waits.push(...(await this.#count(quota, signal)))
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
    const rest = Math.max(LEAST_REST_MS, (clock.monotonic() - began) * REST_FACTOR)
    return { requeueAfter: Math.max(rest, Math.min(...waits)), restFor: rest }
  }

  #follow(enqueue: (request: ReconcileRequest) => void): () => void {
    this.#enqueue = enqueue
    this.#isFollowed = true
    if (this.#isWanted) this.#begin()
    return () => {
      this.#isFollowed = false
      this.#enqueue = () => {}
      this.#end()
    }
  }

  #begin(): void {
    const { client, clock, caches } = this.#options.context
    this.#objects = new WatchedObjects({
      caches,
      clock,
      kinds: new ServedKinds(client),
      onChange: (of, old, current) => this.#objectChanged(of, old, current),
      onState: (of) => this.#enqueueAll(of),
    })
    this.#crds = caches.optionalView({ kind: CRD_KIND, keep: keepServedKinds })
    this.#crds.onChange((old, current) => {
      const group = (current ?? old)?.group
      if (group !== undefined) this.#objects?.lookAgain(group)
    })
    this.#quotas = caches.optionalView({ kind: RESOURCE_QUOTAS, keep: keepQuota })
    this.#quotas.onChange((old, current, change) => this.#quotaChanged(old, current, change))
  }

  #end(): void {
    this.#objects?.stop()
    this.#quotas?.release()
    this.#crds?.release()
    this.#objects = undefined
    this.#quotas = undefined
    this.#crds = undefined
    this.#known.clear()
  }

  #in(namespace: string): readonly ResourceQuota[] {
    return (this.#quotas?.list(namespace) ?? []).filter((quota) => !this.#options.isIgnored(quota))
  }

  #quotaChanged(old: ResourceQuota | undefined, current: ResourceQuota | undefined, change: ChangeInfo): void {
    const { namespace, name, by } = change
    const key = `${namespace}/${name}`
    if ([old, current].some((quota) => quota !== undefined && this.#options.isIgnored(quota))) return
    if (current === undefined) return this.#forget(key)
    const known = this.#known.get(key)
    const isSame = old !== undefined && known !== undefined && known.uid === current.metadata.uid
    if (!isSame || !jsonEqual(old.spec?.hard, current.spec?.hard)) this.#keep(key, current, isSame ? known : undefined)
    if (by === this.name) return
    if (isSame && known.isCompared) {
      const raised = increases(usedIn(old), usedIn(current))
      known.inFlight.raised(raised, current.metadata.resourceVersion ?? '', this.#options.context.clock.monotonic())
    }
    this.#enqueue({ key: namespace })
  }

  #keep(key: string, quota: ResourceQuota, known: KnownQuota | undefined): void {
    const resources = resourcesOf(quota)
    for (const of of resources) this.#objects?.want(of)
    for (const of of this.#known.get(key)?.resources ?? []) this.#objects?.release(of)
    this.#known.set(key, {
      uid: quota.metadata.uid,
      resources,
      inFlight: known?.inFlight ?? new InFlightUsage(patienceOf(this.#options.requestTimeoutMs)),
      isCompared: known?.isCompared ?? false,
    })
  }

  #forget(key: string): void {
    for (const of of this.#known.get(key)?.resources ?? []) this.#objects?.release(of)
    this.#known.delete(key)
  }

  /** All namespaces with a quota that counts this resource. */
  #enqueueAll(of: GroupResource): void {
    const id = qualified(of)
    for (const [key, { resources }] of this.#known)
      if (resources.some((one) => qualified(one) === id)) this.#enqueue({ key: key.slice(0, key.indexOf('/')) })
  }

  #objectChanged(of: GroupResource, old: KubeObject | undefined, current: KubeObject | undefined): void {
    const object = current ?? old
    if (object === undefined) return
    const { namespace = '' } = object.metadata
    if (namespace === '') return this.#enqueueAll(of)
    const evaluator = QUOTA_EVALUATORS.of(of)
    if (evaluator === undefined) return
    const counting = this.#in(namespace).filter((quota) => this.#ruleOf(quota).countedBy(evaluator).length > 0)
    if (counting.length === 0) return
    if (old !== undefined && current !== undefined && !this.#isChanged(evaluator, old, current)) return
    this.#enqueue({ key: namespace })
    if (current === undefined) return
    for (const quota of counting) this.#observed(quota, evaluator, old, current)
  }

  #isChanged(evaluator: Evaluator, old: KubeObject, current: KubeObject): boolean {
    if (evaluator.isUniform === true) return false
    return evaluator.expiry?.(current) !== evaluator.expiry?.(old) || changesUsage(evaluator, old, current, this.#now())
  }

  /** Pays off what admission has charged for the object. */
  #observed(quota: ResourceQuota, evaluator: Evaluator, old: KubeObject | undefined, current: KubeObject): void {
    const { namespace = '', name = '', uid } = quota.metadata
    const known = this.#known.get(`${namespace}/${name}`)
    if (known === undefined || known.uid !== uid || !known.isCompared) return
    const rule = this.#ruleOf(quota)
    try {
      const before = countUsage(rule, evaluator, old === undefined ? [] : [old], this.#now())
      const after = countUsage(rule, evaluator, [current], this.#now())
      const version = current.metadata.resourceVersion ?? ''
      known.inFlight.observed(increases(before, after), version, this.#options.context.clock.monotonic())
    } catch (error) {
      // The count of the namespace, which follows, reports it.
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
    }
  }

  /** Counts a quota and writes its status where that differs; returns after which times it must be counted again. */
  async #count(quota: ResourceQuota, signal: AbortSignal): Promise<readonly number[]> {
    const { clock, recorder } = this.#options.context
    const { namespace = '', name = '' } = quota.metadata
    const objects = this.#objects
    const known = this.#known.get(`${namespace}/${name}`)
    if (objects === undefined || known === undefined || known.uid !== quota.metadata.uid) return []
    const states = known.resources.map((of) => [of, objects.state(of)] as const)
    const unread = new Map(
      states.flatMap(([of, state]) => (typeof state === 'object' ? [[qualified(of), state.unread]] : [])),
    )
    const measuring = this.#now()
    const {
      status,
      used: counted,
      errors,
    } = recount({
      quota,
      evaluators: QUOTA_EVALUATORS,
      objectsOf: (of) => objects.in(of, namespace),
      evaluatorErrors: unread,
      ...measuring,
    })
    const mono = clock.monotonic()
    if (!known.isCompared && unread.size === 0) {
      known.isCompared = true
      const { resourceVersion = '' } = quota.metadata
      known.inFlight.raised(increases(counted, usedIn(quota)), resourceVersion, mono)
    }
    const admitted = await this.#options.admission?.usageUnderSpec(quota)
    if (admitted === 'unknown') return [LOOK_AGAIN_MS]
    const inFlight = known.isCompared ? known.inFlight.amounts(mono) : usedIn(quota)
    const written = usageToWrite(counted, usedIn(quota), inFlight)
    const used = max(mask(admitted ?? {}, Object.keys(written)), written)
    if (needsWrite(quota, used)) await this.#write(quota, { hard: status.hard, used: formatResourceList(used) }, signal)
    if (errors.length > unread.size)
      recorder.record({
        regarding: quota,
        type: 'Warning',
        reason: 'UsageNotCounted',
        action: 'Counted',
        note: `some usage could not be counted, and stays as it was: ${errors.join('; ')}`,
      })
    const waits: number[] = []
    if (states.some(([, state]) => state !== 'listed')) waits.push(LOOK_AGAIN_MS)
    if (known.inFlight.lapsesAt !== undefined) waits.push(known.inFlight.lapsesAt - mono)
    const expiry = this.#nextExpiry(known.resources, namespace, measuring.now)
    if (expiry !== undefined) waits.push(expiry - measuring.now + 1)
    return waits
  }

  #nextExpiry(resources: readonly GroupResource[], namespace: string, now: number): number | undefined {
    const expiries = resources.flatMap((of) => {
      const { expiry } = QUOTA_EVALUATORS.of(of) ?? {}
      if (expiry === undefined) return []
      return (this.#objects?.in(of, namespace) ?? []).map(expiry).filter((at) => at !== undefined && at >= now)
    })
    return expiries.reduce((least: number | undefined, at) => Math.min(least ?? Infinity, at ?? Infinity), undefined)
  }

  async #write(quota: ResourceQuota, status: NonNullable<ResourceQuota['status']>, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '', resourceVersion } = quota.metadata
    const patch = mergeDiff(asJson(quota.status), asJson(status))
    if (patch === undefined) return
    try {
      // The watch may show the write before its answer: it is not somebody else's that raised the usage.
      await this.#quotas?.observeWrite({ namespace, name }, this.name, () =>
        this.#options.context.client.patch(
          RESOURCE_QUOTAS,
          { namespace, name },
          { type: 'merge', body: { metadata: { resourceVersion }, status: patch } },
          { subresource: 'status', signal },
        ),
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #ruleOf(quota: ResourceQuota): QuotaRule {
    const known = this.#rules.get(quota)
    if (known !== undefined) return known
    const rule = countingRule(quota, QUOTA_EVALUATORS)
    this.#rules.set(quota, rule)
    return rule
  }

  #now(): Measuring {
    return { now: this.#options.context.clock.now(), lookup: this.#objects?.lookup }
  }
}

/** The resources that are counted for a quota, and those that the cost of their objects depends on. */
function resourcesOf(quota: ResourceQuota): readonly GroupResource[] {
  const counted = countedResources(quota, QUOTA_EVALUATORS)
  const claims = qualified(resourceClaimEvaluator)
  if (!counted.some((of) => qualified(of) === claims)) return counted
  const { group, resource } = podEvaluator
  const all = [...counted, { group, resource }, DEVICE_CLASSES]
  return [...new Map(all.map((of) => [qualified(of), of])).values()]
}

/** A status with an invalid amount, which only API servers without validation store, counts as none. */
function usedIn(quota: ResourceQuota): ResourceList {
  return ifReadable(() => amountsOf(quota.status?.used), {})
}

function needsWrite({ spec, status }: ResourceQuota, used: ResourceList): boolean {
  if (status?.hard === undefined || status.used === undefined) return true
  return !equals(amountsOf(status.hard), amountsOf(spec?.hard)) || !equals(amountsOf(status.used), used)
}

const asJson = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject
