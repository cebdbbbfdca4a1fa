import { isResourceQuota, type ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/evaluator-table.ts'
import { recount } from '../../charges/resource-quota/recount.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import type { Facts } from './facts.ts'

/** Does a manifest of this kind limit what other manifests make? */
export const isPlannedLimit = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'v1' && (kind === 'ResourceQuota' || kind === 'LimitRange')

/**
 * The facts once the ResourceQuotas and LimitRanges among manifests are there, in place of those of their names. They count what is there. A limit on
 * what could not be read, and that nobody has counted, is left out and named.
 */
export function withPlannedLimits(facts: Facts, manifests: readonly KubeObject[]): Facts {
  const planned = manifests.filter(isPlannedLimit)
  if (planned.length === 0) return facts
  const quotas = planned.filter(isResourceQuota).map((quota) => countedQuota(quota, facts))
  const ranges = planned.filter(({ kind }) => kind === 'LimitRange')
  return {
    ...facts,
    quotas: replaced(
      facts.quotas,
      quotas.map(({ quota }) => quota),
    ),
    limitRanges: replaced(facts.limitRanges, ranges),
    notSeen: [...facts.notSeen, ...quotas.flatMap(({ notCounted }) => notCounted)],
  }
}

/** Of several of one name the last is applied last. */
function replaced<T extends KubeObject>(known: readonly T[], planned: readonly T[]): readonly T[] {
  const byName = new Map([...known, ...planned].map((one) => [one.metadata.name ?? '', one]))
  return [...byName.values()]
}

interface CountedQuota {
  readonly quota: ResourceQuota
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

const isScopedAlike = (a: ResourceQuota, b: ResourceQuota): boolean =>
  jsonEqual([a.spec?.scopes ?? [], a.spec?.scopeSelector ?? {}], [b.spec?.scopes ?? [], b.spec?.scopeSelector ?? {}])
