import { QUOTA_EVALUATORS } from '../../charges/evaluators/evaluator-table.ts'
import { recount } from '../../charges/resource-quota/recount.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { add, parseResourceList, quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { compileKarmadaQuota, costsOf } from '../../systems/karmada-quota/decide/costs.ts'
import { validateKarmadaQuota } from '../../systems/karmada-quota/decide/validate-quota.ts'
import { idOf } from '../explain/facts.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'

const COUNTS_LATE =
  'a controller counts it: if that does not happen, look at the controller manager, or at the log of allot'

/** ResourceQuotas whose usage is not what their objects use. */
export function wrongUsage(facts: ClusterFacts): readonly Finding[] {
  const byResource = new Map<string, Map<string, readonly KubeObject[]>>()
  const inNamespace = (id: string, objects: readonly KubeObject[]): Map<string, readonly KubeObject[]> => {
    const known = byResource.get(id) ?? Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '')
    byResource.set(id, known)
    return known
  }
  return facts.quotas.flatMap((quota) => {
    const namespace = quota.metadata.namespace ?? ''
    // What cannot be read keeps the usage that the status has, so that nothing is said of it.
    const unread = new Map<string, string>()
    try {
      const { status, used } = recount({
        quota,
        evaluators: QUOTA_EVALUATORS,
        now: facts.now,
        evaluatorErrors: unreadOf(quota, facts, unread),
        objectsOf: (of) => {
          const objects = facts.objectsOf(of)
          return objects === undefined ? undefined : (inNamespace(qualified(of), objects).get(namespace) ?? [])
        },
      })
      return [...uncounted(quota), ...drift(quota, used, status)]
    } catch (error) {
      if (error instanceof QuantityError) return []
      throw error
    }
  })
}

/** Evaluators whose objects were not read. */
function unreadOf(quota: ResourceQuota, facts: ClusterFacts, unread: Map<string, string>): ReadonlyMap<string, string> {
  for (const one of QUOTA_EVALUATORS.countingTowards(Object.keys(quota.spec?.hard ?? {})))
    if (facts.objectsOf(one) === undefined) unread.set(qualified(one), 'was not read')
  return unread
}

/** Nothing has counted the quota yet: it refuses everything that it limits. */
function uncounted(quota: ResourceQuota): readonly Finding[] {
  if (quota.status?.used !== undefined || Object.keys(quota.spec?.hard ?? {}).length === 0) return []
  return [
    {
      check: 'usage',
      severity: 'error',
      object: idOf(quota),
      part: '',
      text: 'nobody has counted the quota: it has no usage, and admission goes by that',
      advice: COUNTS_LATE,
      mayPass: true,
    },
  ]
}

function drift(
  quota: ResourceQuota,
  truth: ResourceList,
  status: { readonly hard: object; readonly used: object },
): readonly Finding[] {
  const before = parseResourceList(quota.status?.used ?? {})
  return Object.entries(truth).flatMap(([name, amount]): readonly Finding[] => {
    const said = quantityOf(before, name)
    if (said === undefined || said.equals(amount)) return []
    const object = idOf(quota)
    const isHigh = said.cmp(amount) > 0
    return [
      {
        check: 'usage',
        severity: 'error',
        object,
        part: name,
        text: `the status says that ${name} ${said.toString()} is used, and the objects use ${amount.toString()}`,
        advice: isHigh ? 'requests are refused that fit' : 'requests are allowed that do not fit',
        repair: {
          text: `write the usage of the objects into the status of ResourceQuota ${object.namespace}/${object.name}`,
          object,
          subresource: 'status',
          // The version keeps a newer count.
          patch: { metadata: { resourceVersion: quota.metadata.resourceVersion ?? '' }, status: { used: status.used } },
        },
        mayPass: true,
      },
    ]
  })
}

/** KarmadaQuotas whose usage is not what the bindings of their namespace are charged. */
export function wrongKarmadaUsage(facts: ClusterFacts): readonly Finding[] {
  const bindings = facts.objectsOf(RESOURCE_BINDINGS)
  if (bindings === undefined) return []
  return facts.karmadaQuotas.flatMap((quota) => {
    if (validateKarmadaQuota(quota).length > 0 || quota.status?.used === undefined) return []
    try {
      const compiled = compileKarmadaQuota(quota.spec)
      const own = bindings.filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
      const truth = own.map((binding) => costsOf(compiled, binding)).reduce<ResourceList>(add, {})
      return karmadaDrift(quota, truth)
    } catch (error) {
      if (error instanceof QuantityError) return []
      throw error
    }
  })
}

/** Reservations count, so that only a usage below that of the bindings is wrong for sure; one above it may be on its way. */
function karmadaDrift(quota: KarmadaQuota, truth: ResourceList): readonly Finding[] {
  const before = parseResourceList(quota.status?.used ?? {})
  return Object.entries(before).flatMap(([name, said]): readonly Finding[] => {
    const amount = quantityOf(truth, name) ?? Quantity.zero
    if (said.equals(amount)) return []
    return [
      {
        check: 'usage',
        severity: 'error',
        object: idOf(quota),
        part: name,
        text: `the status says that ${name} ${said.toString()} is used, and the bindings are charged ${amount.toString()}`,
        advice: 'allot counts it again when it starts: look at its log',
        mayPass: true,
      },
    ]
  })
}
