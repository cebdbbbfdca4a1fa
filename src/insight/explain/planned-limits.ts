import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { CustomResource } from '../../api/definition/custom-resource.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { recount } from '../../systems/resource-quota/decide/count/recount.ts'
import { defaultLimitRangeSpec } from '../../kinds/core/limit-range.ts'
import { within } from '../../kinds/rule/change.ts'
import { sentence } from '../../machinery/field-error.ts'
import { groupOf } from '../../machinery/group-version.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, valueAt } from '../../machinery/read.ts'
import { qualified } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { add, formatResourceList, type ResourceList } from '../../quantity/resource-list.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { type KarmadaQuota, karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { compileKarmadaQuota, costsOf } from '../../systems/karmada-quota/decide/costs.ts'
import { validateKarmadaQuota } from '../../systems/karmada-quota/decide/validate-quota.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { Facts } from './facts.ts'

const isOf = ({ apiVersion, kind }: KubeObject, kinds: readonly CustomResource<KubeObject>[]): boolean =>
  kinds.some((one) => kind === one.kind && groupOf(apiVersion) === one.group)

/** Does allot answer a manifest of this kind with limits of namespaces? A simulation tells with which. */
export const isSimulatedLimit = (object: KubeObject): boolean =>
  isOf(object, [customQuota, globalCustomQuota, resourcePool, resourcePoolClaim, quotaIncrease, quotaServiceConfig])

/** Does a manifest of this kind limit what other manifests make? */
export const isPlannedLimit = (object: KubeObject): boolean =>
  isResourceQuota(object) || isLimitRange(object) || isOf(object, [karmadaQuota]) || isSimulatedLimit(object)

/** A stored LimitRange has the defaults of the API server; of a manifest they follow from what it says. */
const withRangeDefaults = within('spec', defaultLimitRangeSpec)

const isLimitRange = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'LimitRange'

/** Names a limit within a namespace. */
export const plannedKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind}/${name}`

/**
 * The facts once limits of manifests are there, in place of those of their names. ResourceQuotas and KarmadaQuotas count what is there; custom quotas
 * have been counted. A limit on what could not be read, and that nobody has counted, is left out and named.
 */
export function withPlannedLimits(facts: Facts, limits: readonly KubeObject[]): Facts {
  const counted = [
    ...limits.filter(isResourceQuota).map((quota) => countedQuota(quota, facts)),
    ...limits
      .filter((one) => isOf(one, [karmadaQuota]))
      .map((one) => countedKarmadaQuota(karmadaQuota.read(one), facts)),
    ...limits.filter((one) => isOf(one, [customQuota, globalCustomQuota])).map((one) => countedCustomQuota(one, facts)),
  ]
  const quotas = counted.flatMap(({ quota }) => quota ?? [])
  const ranges = limits.filter(isLimitRange).map((one) => withRangeDefaults(one))
  if (counted.length + ranges.length === 0) return facts
  return {
    ...facts,
    quotas: replaced(facts.quotas, quotas.filter(isResourceQuota)),
    karmadaQuotas: replaced(
      facts.karmadaQuotas,
      quotas.filter((one) => isOf(one, [karmadaQuota])).map((one) => karmadaQuota.read(one)),
    ),
    customQuotas: replaced(facts.customQuotas, [
      ...quotas.filter((one) => isOf(one, [customQuota])).map((one) => customQuota.read(one)),
      ...quotas.filter((one) => isOf(one, [globalCustomQuota])).map((one) => globalCustomQuota.read(one)),
    ]),
    limitRanges: replaced(facts.limitRanges, ranges),
    planned: new Set([
      ...(facts.planned ?? []),
      ...[...quotas, ...ranges].map(({ kind, metadata }) => plannedKey({ kind, name: metadata.name ?? '' })),
    ]),
    notSeen: [...facts.notSeen, ...counted.flatMap(({ notCounted }) => notCounted)],
  }
}

/** Of several of one name the last is applied last. */
function replaced<T extends KubeObject>(known: readonly T[], planned: readonly T[]): readonly T[] {
  const byName = new Map(
    [...known, ...planned].map((one) => [plannedKey({ kind: one.kind, name: one.metadata.name ?? '' }), one]),
  )
  return [...byName.values()]
}

interface CountedQuota {
  /** Undefined where nothing is known of its usage. */
  readonly quota: KubeObject | undefined
  readonly notCounted: Facts['notSeen']
}

function countedQuota(planned: ResourceQuota, { quotas, objects, notSeen, now }: Facts): CountedQuota {
  const { status: _, ...written } = planned
  const stored = quotas.find(({ metadata }) => metadata.name === planned.metadata.name)
  if (stored?.status?.used !== undefined && jsonEqual(stored.spec, planned.spec))
    return { quota: stored, notCounted: [] }
  const isRead = (id: string): boolean => objects.has(id) && !notSeen.some(({ resource }) => resource === id)
  const names = Object.keys(planned.spec?.hard ?? {})
  const unread = QUOTA_EVALUATORS.countingTowards(names)
    .map(qualified)
    .filter((id) => !isRead(id))
  const { status } = recount({
    // What the stored quota counts by other scopes says nothing of this one.
    quota: {
      ...written,
      ...(stored?.status !== undefined && isScopedAlike(stored, planned) ? { status: stored.status } : {}),
    },
    evaluators: QUOTA_EVALUATORS,
    objectsOf: (of) => objects.get(qualified(of)),
    evaluatorErrors: new Map(unread.map((id) => [id, id])),
    now,
  })
  const isKnown = ([name]: readonly [string, unknown]): boolean => status.used[name] !== undefined
  const limits = Object.entries(status.hard)
  const hard = Object.fromEntries(limits.filter(isKnown))
  return {
    quota: { ...written, status: { hard, used: status.used } },
    notCounted: limits
      .filter((one) => !isKnown(one))
      .map(([name]) => ({
        resource: name,
        reason: `the use under quota ${planned.metadata.name ?? ''} of the manifests is not known`,
      })),
  }
}

function countedKarmadaQuota(planned: KarmadaQuota, { karmadaQuotas, objects, notSeen }: Facts): CountedQuota {
  const stored = karmadaQuotas.find(({ metadata }) => metadata.name === planned.metadata.name)
  if (stored?.status?.used !== undefined && jsonEqual(stored.spec, planned.spec))
    return { quota: stored, notCounted: [] }
  const problems = validateKarmadaQuota(planned).map(sentence)
  const id = qualified(RESOURCE_BINDINGS)
  const isRead = !notSeen.some(({ resource }) => resource === id)
  if (problems.length > 0 || !isRead)
    return {
      quota: undefined,
      notCounted: [unknownUse(planned, problems.length > 0 ? problems.join('; ') : undefined)],
    }
  const compiled = compileKarmadaQuota(planned.spec)
  const none: ResourceList = Object.fromEntries([...compiled.tracked.keys()].map((name) => [name, Quantity.zero]))
  const used = (objects.get(id) ?? []).map((binding) => costsOf(compiled, binding)).reduce<ResourceList>(add, none)
  return { quota: { ...planned, status: { used: formatResourceList(used) } }, notCounted: [] }
}

/** Of the objects that it lists only those are shown that the stored quota shows. */
function countedCustomQuota(quota: KubeObject, { customQuotas }: Facts): CountedQuota {
  if (valueAt(quota, 'status', 'usage', 'used') === undefined)
    return { quota: undefined, notCounted: [unknownUse(quota)] }
  const stored = customQuotas.find(({ kind, metadata }) => kind === quota.kind && metadata.name === quota.metadata.name)
  const status = { ...objectOf(quota['status']), claims: stored?.status?.claims ?? [] }
  return { quota: { ...quota, status }, notCounted: [] }
}

const unknownUse = (
  { kind, metadata: { name = '' } }: KubeObject,
  why = 'its use is not known',
): Facts['notSeen'][number] => ({ resource: `${kind} ${name} of the manifests`, reason: why })

const isScopedAlike = (a: ResourceQuota, b: ResourceQuota): boolean =>
  jsonEqual([a.spec?.scopes ?? [], a.spec?.scopeSelector ?? {}], [b.spec?.scopes ?? [], b.spec?.scopeSelector ?? {}])
