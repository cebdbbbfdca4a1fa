import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { recount } from '../../systems/resource-quota/decide/count/recount.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { ifReadable, Quantity } from '../../quantity/quantity.ts'
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

/** ResourceQuotas whose usage is not what their objects use, or whose limits are not in force. */
export function wrongUsage(facts: ClusterFacts): readonly Finding[] {
  const byResource = new Map<string, ReadonlyMap<string, readonly KubeObject[]>>()
  const inNamespace = (id: string, objects: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> => {
    const known = byResource.get(id) ?? Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '')
    byResource.set(id, known)
    return known
  }
  return facts.quotas.flatMap((quota) => {
    const namespace = quota.metadata.namespace ?? ''
    const countable = countableNames(quota, facts)
    return ifReadable(() => {
      const { used } = recount({
        quota,
        evaluators: QUOTA_EVALUATORS,
        now: facts.now,
        evaluatorErrors: unreadOf(quota, facts),
        objectsOf: (of) => {
          const objects = facts.objectsOf(of)
          return objects === undefined ? undefined : (inNamespace(qualified(of), objects).get(namespace) ?? [])
        },
      })
      const late = uncounted(quota, countable)
      return late.length > 0 ? late : drift(quota, used, countable)
    }, [])
  })
}

/** Evaluators whose objects were not read: their names keep the usage of the status. */
const unreadOf = (quota: ResourceQuota, facts: ClusterFacts): ReadonlyMap<string, string> =>
  new Map(
    QUOTA_EVALUATORS.countingTowards(Object.keys(quota.spec?.hard ?? {}))
      .filter((one) => facts.isUnread(one))
      .map((one) => [qualified(one), 'was not read']),
  )

/**
 * Returns the limits whose usage the objects that were read can confirm. If the API server serves ResourceClaims, pods
 * and ResourceClaims count towards the same names. The doctor does not read enough to know which of them is charged.
 */
function countableNames(quota: ResourceQuota, facts: ClusterFacts): readonly string[] {
  return Object.keys(quota.spec?.hard ?? {}).filter((name) => {
    const served = QUOTA_EVALUATORS.countingTowards([name]).filter((one) => facts.objectsOf(one) !== undefined)
    return served.length === 1
  })
}

/** What nobody has counted yet, although objects count towards it: admission goes by the limits and the usage of the status. */
function uncounted(quota: ResourceQuota, countable: readonly string[]): readonly Finding[] {
  const { hard = {}, used = {} } = quota.status ?? {}
  const differs = (name: string): boolean => !isSame(quota.spec?.hard?.[name], hard[name])
  const late = countable.filter((name) => used[name] === undefined || differs(name))
  if (late.length === 0) return []
  const about = { check: 'usage', severity: 'error', object: idOf(quota), part: '', mayPass: true } as const
  return [
    {
      ...about,
      text: `nobody has counted ${late.join(', ')} since the limit was written: admission goes by the status`,
      advice: COUNTS_LATE,
      evidence: quota.metadata.resourceVersion ?? '',
    },
  ]
}

const isSame = (a: unknown, b: unknown): boolean =>
  a !== undefined && b !== undefined && Quantity.fromJson(a).equals(Quantity.fromJson(b))

function drift(quota: ResourceQuota, truth: ResourceList, countable: readonly string[]): readonly Finding[] {
  const before = parseResourceList(quota.status?.used ?? {})
  return countable.flatMap((name): readonly Finding[] => {
    const [said, amount] = [quantityOf(before, name), quantityOf(truth, name)]
    if (said === undefined || amount === undefined || said.equals(amount)) return []
    const object = idOf(quota)
    const { resourceVersion = '' } = quota.metadata
    return [
      {
        check: 'usage',
        severity: 'error',
        object,
        part: name,
        text: `the status says that ${name} ${said.toString()} is used, and the objects use ${amount.toString()}`,
        advice: said.cmp(amount) > 0 ? 'requests are refused that fit' : 'requests are allowed that do not fit',
        repair: {
          text: `write ${name} ${amount.toString()}, which the objects use, into the status of ResourceQuota ${object.namespace}/${object.name}`,
          object,
          subresource: 'status',
          // Another version has been counted since.
          patch: { metadata: { resourceVersion }, status: { used: { [name]: amount.toString() } } },
        },
        evidence: `${resourceVersion} ${said.canonical()} ${amount.canonical()}`,
        mayPass: true,
      },
    ]
  })
}

/** KarmadaQuotas whose usage is not what the bindings of their namespace are charged. */
export function wrongKarmadaUsage(facts: ClusterFacts): readonly Finding[] {
  const bindings = facts.objectsOf(RESOURCE_BINDINGS)
  if (bindings === undefined || facts.isUnread(RESOURCE_BINDINGS)) return []
  return facts.karmadaQuotas.flatMap((quota) => {
    if (validateKarmadaQuota(quota).length > 0 || quota.status?.used === undefined) return []
    return ifReadable(() => {
      const compiled = compileKarmadaQuota(quota.spec)
      const own = bindings.filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
      const truth = own.map((binding) => costsOf(compiled, binding)).reduce<ResourceList>(add, {})
      return karmadaDrift(quota, truth)
    }, [])
  })
}

/** Reservations count, too: those of requests under way do not stay. */
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
        evidence: `${said.canonical()} ${amount.canonical()}`,
        mayPass: true,
      },
    ]
  })
}
