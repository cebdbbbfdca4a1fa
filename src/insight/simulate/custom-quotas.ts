import { usageWarning } from '../../charges/usage-warnings.ts'
import { hasReason } from '../../api/condition-table.ts'
import { QUOTA_CONDITIONS } from '../../systems/custom-quota/api/quota-conditions.ts'
import { conditionOf } from '../../api/condition.ts'
import { CLUSTER_NAMESPACES } from '../../api/cluster-namespaces.ts'
import type { CustomResource } from '../../api/definition/custom-resource.ts'
import { jsonEqual, wholeNumber } from '../../machinery/json-value.ts'
import { sentence } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified, tooManyRequests } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { LEDGER_AMOUNT } from '../../systems/counted/protocol/ledger-budget.ts'
import type { LedgerRefusal } from '../../systems/counted/protocol/ledger-errors.ts'
import { isFree } from '../../systems/counted/protocol/reserve.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { ENFORCED, ENFORCEMENT_OFF } from '../../systems/custom-quota/api/quota-names.ts'
import { CALCULATIONS_NAME } from '../../systems/custom-quota/api/webhook-names.ts'
import { isFoundReady, shownNamespace } from '../../systems/custom-quota/decide/found-ready.ts'
import { matchQuotas } from '../../systems/custom-quota/decide/match-quotas.ts'
import { NamespaceEffort } from '../../systems/custom-quota/decide/quota-bounds.ts'
import {
  notNamespacedText,
  quotaStatus,
  type QuotaStatusInput,
  quotaTarget,
} from '../../systems/custom-quota/decide/quota-status.ts'
import { closedNamespaceText, notReadyText, unmeasurableText } from '../../systems/custom-quota/decide/refusal.ts'
import { kindOfObject, type SourceKind, sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { compiledSpec, isEnforcedIn } from '../budgets/custom-quota.ts'
import { deniedBy, type KnownKind } from './admission.ts'
import {
  type CountedDecision,
  type CountedWrite,
  type CountingQuotas,
  isMade,
  NOT_COUNTED,
  refusalBy,
  UNCOUNTED,
  UNKNOWN_SUM,
} from './counted-write.ts'
import { type AnyCustomQuota, costAmount, costOrText, readCustomQuota, Tally } from './custom-quota-tally.ts'
import { type Place, type World, NAMESPACES } from './world.ts'

/** The kinds of custom quotas. */
export const CUSTOM_QUOTAS: readonly CustomResource<AnyCustomQuota>[] = [customQuota, globalCustomQuota]

export interface CustomQuotasOptions {
  /** The kind as it is served; undefined where it is not. */
  readonly resourceOf: (kind: SourceKind) => KnownKind | undefined
  /** Whether the state comes from a cluster, where an operator has counted the quotas. */
  readonly isFromCluster: boolean
}

/** Counts the objects of custom quotas in a world as the operator does, and decides on writes as its webhook does. */
export class CustomQuotas implements CountingQuotas {
  readonly #world: World
  readonly #options: CustomQuotasOptions
  readonly #tallies = new Map<string, Tally>()
  #isWriting = false

  constructor(world: World, options: CustomQuotasOptions) {
    this.#world = world
    this.#options = options
    for (const kind of CUSTOM_QUOTAS)
      for (const object of world.all(kind)) this.#begin(keyOf(kind, object), readCustomQuota(object))
    world.onChange((place, object, old) => this.#changed(place, object, old))
  }

  /** Why the usage of a quota is not known; undefined where it is. */
  doubtOf(quota: KubeObject): string | undefined {
    return this.#tallies.get(keyOf(resourceOf(quota), quota))?.doubt
  }

  /** Writes the usage into the statuses of quotas. */
  settle(): void {
    for (const tally of this.#tallies.values()) if (tally.isDirty) this.#writeStatus(tally)
  }

  /** What the webhook answers. */
  decide({ object, oldObject, operation }: CountedWrite): CountedDecision {
    const { namespace = '' } = object.metadata
    if (this.#tallies.size === 0 || CLUSTER_NAMESPACES.has(namespace)) return NOT_COUNTED
    const kind = kindOfObject(object)
    const asked = this.#tallies
      .values()
      .filter(
        (tally) =>
          tally.doubt === undefined &&
          tally.counts(kind) &&
          tally.selection.has(namespace) &&
          isEnforcedIn(tally.quota, namespace),
      )
      .toArray()
    if (asked.length === 0) return NOT_COUNTED
    const refused = (error: Parameters<typeof deniedBy>[1]): CountedDecision => ({
      ...NOT_COUNTED,
      error: deniedBy(CALCULATIONS_NAME, error),
    })
    const { matched, unmeasurable, broken } = matchQuotas(asked, { namespace, object, oldObject })
    const [problem] = unmeasurable
    if (problem !== undefined) return refused(unmeasurableText(operation, object, problem.tracked.ref, problem.error))
    const raised = matched.filter((one) => !isFree(one))
    const waiting = broken[0] ?? raised.find(({ tracked }) => !isFoundReady(tracked.quota.status))?.tracked
    if (waiting !== undefined)
      return refused(tooManyRequests(notReadyText(waiting.ref, generationOf(waiting.quota)), 1))
    for (const { tracked, isMended } of raised) {
      const text = isMended ? undefined : tracked.unmeasuredIn(namespace)
      if (text !== undefined) return refused(tooManyRequests(closedNamespaceText(tracked.ref, namespace, text), 1))
    }
    const refusals = raised.flatMap(({ tracked, cost, oldCost }): readonly LedgerRefusal[] => {
      const limits = { [LEDGER_AMOUNT]: tracked.compiled?.limit ?? Quantity.zero }
      const charges = [{ kind: LEDGER_AMOUNT, cost, oldCost }]
      const refusal = refusalBy(
        { ref: tracked.ref, hard: limits, used: { [LEDGER_AMOUNT]: tracked.used } },
        { object, operation, charges },
      )
      return refusal === undefined ? [] : [refusal]
    })
    const warnings = raised.flatMap(({ tracked: { ref, used, compiled }, cost, oldCost }) => {
      const after = used.add(cost).sub(oldCost)
      return usageWarning({ ref, before: used, after, limit: compiled?.limit ?? Quantity.zero }) ?? []
    })
    return { webhook: raised.length > 0 ? CALCULATIONS_NAME : undefined, error: undefined, refusals, warnings }
  }

  #changed(place: Place, object: KubeObject | undefined, old: KubeObject | undefined): void {
    const id = qualified(place.of)
    const ofQuotas = CUSTOM_QUOTAS.find((kind) => qualified(kind) === id)
    if (ofQuotas !== undefined) return this.#quotaChanged(keyOf(place.of, object ?? old), object)
    if (this.#tallies.size === 0) return
    if (id === qualified(NAMESPACES)) this.#namespaceChanged(object, old)
    const one = object ?? old
    if (one === undefined) return
    const kind = kindOfObject(one)
    const isOwn = (tally: Tally): boolean => tally.counts(kind) && tally.selection.has(place.namespace)
    const counting = this.#tallies.values().filter(isOwn).toArray()
    const effort = new NamespaceEffort()
    for (const tally of counting) this.#set(tally, objectKey(place), object, effort)
  }

  #namespaceChanged(object: KubeObject | undefined, old: KubeObject | undefined): void {
    if (
      object !== undefined &&
      jsonEqual(object.metadata.labels ?? {}, old?.metadata.labels ?? {}) &&
      old !== undefined
    )
      return
    const { name = '' } = (object ?? old)?.metadata ?? {}
    for (const tally of this.#tallies.values()) {
      if (!tally.isGlobal || tally.compiled?.everywhere === true || !tally.reselect(name)) continue
      for (const [key, one] of this.#countable(tally, name))
        this.#set(tally, key, tally.selection.has(name) ? one : undefined, new NamespaceEffort())
    }
  }

  #quotaChanged(key: string, object: KubeObject | undefined): void {
    const known = this.#tallies.get(key)
    if (object === undefined) {
      this.#tallies.delete(key)
      if (known !== undefined) this.#free(known)
      return
    }
    const quota = readCustomQuota(object)
    if (known === undefined) return this.#begin(key, quota)
    const { spec } = known.quota
    known.quota = quota
    if (this.#isWriting || known.doubt === UNCOUNTED || jsonEqual(spec, quota.spec)) return
    const isOnlyLimit = jsonEqual({ ...spec, limit: '' }, { ...quota.spec, limit: '' })
    known.isDirty = true
    this.#free(known)
    // What the operator has found by the earlier spec says nothing of this one.
    if (isOnlyLimit) return
    known.isKept = false
    known.forgetSelection()
    this.#countAnew(known)
  }

  /** Takes a quota up. The usage that somebody has counted stays as it is. */
  #begin(key: string, quota: AnyCustomQuota): void {
    const tally = new Tally(quota, this.#world)
    this.#tallies.set(key, tally)
    const { status } = quota
    const used = status?.usage?.used
    const isOld = generationOf(quota) > (wholeNumber(status?.observedGeneration) ?? -1n)
    const isCounted = conditionOf(status?.conditions, 'Ready') !== undefined
    if (!isCounted && this.#options.isFromCluster && !isMade(quota)) {
      tally.isDirty = false
      tally.doubt = UNCOUNTED
      return
    }
    tally.isKept = isCounted && !isOld && used !== undefined
    if (!tally.isKept) return this.#countAnew(tally)
    this.#count(tally)
    const counted = Quantity.fromJson(used)
    // A sum below 0 is shown as 0.
    tally.base = counted.isZero() && tally.sum.sign() < 0 ? Quantity.zero : counted.sub(tally.sum)
    tally.isDirty = false
  }

  #countAnew(tally: Tally): void {
    tally.base = Quantity.zero
    tally.isDirty = true
    this.#count(tally)
    const missing = (tally.compiled?.kinds ?? []).some((kind) => this.#isUnseen(tally, kind))
    tally.doubt = missing ? UNKNOWN_SUM : undefined
  }

  #isUnseen(tally: Tally, kind: SourceKind): boolean {
    const found = this.#options.resourceOf(kind)
    if (found === undefined) return false
    const id = qualified(found)
    return tally.isGlobal ? !this.#world.isWhole(id) : this.#world.unseen.has(id)
  }

  #count(tally: Tally): void {
    tally.costs.clear()
    tally.sum = Quantity.zero
    for (const [key, object] of this.#countable(tally, tally.isGlobal ? undefined : tally.quota.metadata.namespace))
      if (tally.selection.has(object.metadata.namespace ?? '')) this.#set(tally, key, object, new NamespaceEffort())
  }

  /** The objects of the kinds that a quota counts, in one namespace or in all, with their keys. */
  *#countable(tally: Tally, within: string | undefined): Generator<readonly [string, KubeObject]> {
    const groups = new Set((tally.compiled?.kinds ?? []).map(({ group }) => group))
    for (const of of this.#world.resources()) {
      if (!groups.has(of.group)) continue
      for (const object of within === undefined ? this.#world.all(of) : this.#world.list(of, within)) {
        if (!tally.counts(kindOfObject(object))) continue
        const { namespace = '', name = '' } = object.metadata
        yield [objectKey({ of, namespace, name }), object]
      }
    }
  }

  #set(tally: Tally, key: string, object: KubeObject | undefined, effort: NamespaceEffort): void {
    const before = tally.costs.get(key)?.cost
    const after = object === undefined ? undefined : costOrText(tally, object, effort)
    const sum = tally.sum
    if (object === undefined || after === undefined) tally.costs.delete(key)
    else tally.costs.set(key, { namespace: object.metadata.namespace ?? '', cost: after })
    tally.sum = sum.sub(costAmount(before)).add(costAmount(after))
    if (typeof before === 'string' || typeof after === 'string') tally.isDirty = true
    if (typeof before === 'string' && typeof after !== 'string') this.#free(tally)
    this.#noteShift(tally, sum)
  }

  #noteShift(tally: Tally, before: Quantity): void {
    const order = tally.sum.cmp(before)
    if (order !== 0) tally.isDirty = true
    if (order < 0) this.#free(tally)
  }

  /** Room has become free, in a namespace or in any. */
  #free({ quota }: Tally): void {
    this.#world.freed.add(quota.metadata.namespace ?? '')
  }

  #writeStatus(tally: Tally): void {
    tally.isDirty = false
    if (tally.doubt !== undefined) return
    const { quota, compiled } = tally
    const { status: previous } = quota
    const problems = this.#problems(tally)
    const unmeasured = [...tally.costs.values()].filter(({ cost }) => typeof cost === 'string')
    const isKeptReady = tally.isKept && !isFoundReady(previous)
    const status = quotaStatus({
      generation: Number(generationOf(quota)),
      targets: quota.spec.sources.map((source) =>
        quotaTarget(source, this.#options.resourceOf(sourceKind(source))?.namespaced ?? true),
      ),
      count:
        compiled === undefined
          ? undefined
          : { limit: compiled.limit, sum: tally.used, claims: { claims: previous?.claims ?? [], omitted: 0 } },
      namespaces: previous !== undefined && 'namespaces' in previous ? previous.namespaces : [],
      problems: [...problems, ...unmeasured.map(({ cost }) => String(cost))],
      unenforced: this.#unenforced(previous),
      unmeasured:
        problems.length > 0 || unmeasured.length === 0
          ? undefined
          : {
              reason: 'UnmeasurableObjects',
              message: [...new Set(unmeasured.map(({ namespace }) => shownNamespace(namespace)))].join(', '),
            },
      previous,
      now: this.#world.timestamp(this.#world.now),
    })
    // Why an operator has not found it ready may go on.
    const next = isKeptReady ? { ...status, conditions: previous?.conditions ?? [] } : status
    if (jsonEqual(next, previous)) return
    const of = resourceOf(quota)
    const { namespace = '', name = '' } = quota.metadata
    const stored = this.#world.find(of, namespace, name)
    if (stored === undefined) return
    const wasReady = isFoundReady(previous)
    this.#isWriting = true
    this.#world.write(of, { ...stored, status: next })
    this.#isWriting = false
    if (!wasReady) this.#free(tally)
  }

  /** Why the quota counts nothing at all. */
  #problems({ quota, isGlobal }: Tally): readonly string[] {
    const compilation = compiledSpec(quota.spec)
    if (!compilation.ok) return compilation.problems.map(sentence)
    return compilation.quota.kinds
      .filter((kind) => !isGlobal && this.#options.resourceOf(kind)?.namespaced === false)
      .map(notNamespacedText)
  }

  /** An operator that enforces nothing does not enforce a new quota either. */
  #unenforced(previous: AnyCustomQuota['status']): QuotaStatusInput['unenforced'] {
    const off = [previous, ...[...this.#tallies.values()].map(({ quota }) => quota.status)]
      .map((status) => conditionOf(status?.conditions, ENFORCED))
      .find((one, index) => one?.status === 'False' && (index === 0 || one.reason === ENFORCEMENT_OFF))
    if (off === undefined) return undefined
    const reason = hasReason(QUOTA_CONDITIONS.Enforced, off.reason) ? off.reason : ENFORCEMENT_OFF
    return { reason, message: off.message }
  }
}

const generationOf = ({ metadata }: AnyCustomQuota): bigint => wholeNumber(metadata.generation) ?? 1n

export const resourceOf = ({ kind }: Pick<KubeObject, 'kind'>): GroupResource =>
  kind === globalCustomQuota.kind ? globalCustomQuota : customQuota

const keyOf = (of: GroupResource, object: KubeObject | undefined): string =>
  `${of.resource} ${object?.metadata.namespace ?? ''}/${object?.metadata.name ?? ''}`

const objectKey = ({ of, namespace, name }: Place): string => `${qualified(of)} ${namespace}/${name}`
