import { countsInNamespace } from '../../insight/budgets/custom-quota.ts'
import type { Explanation } from '../../insight/explain/explanation.ts'
import type { Facts } from '../../insight/explain/facts.ts'
import { isClasses } from '../../insight/explain/cluster-classes.ts'
import { RowObjects } from '../../insight/history/estimated-rows.ts'
import { explainRequest } from '../../insight/explain/request-for-room.ts'
import { WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import { topClaims, topQuotas } from '../../insight/top/top.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { notFound, qualified } from '../../machinery/status.ts'
import { type Asked, ExplainError, explainAsked } from '../../reading/explain-object.ts'
import { readFacts } from '../../reading/read-facts.ts'
import { isToldOfGlobal } from '../../reading/read-quotas.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { compileInTurns } from './compile-in-turns.ts'
import { kubectlIn } from './explanation.ts'
import { inOrder } from './not-seen.ts'
import type { Answer, Question } from './question.ts'
import { readRefusals } from './refusals.ts'

/** So many workloads are looked at, and of those that are blocked so many are explained. */
const MOST_LOOKED_AT = 1000
const MOST_EXPLAINED = 50
/** Each explanation names every quota of the namespace. All together name hardly more than so many. */
const MOST_QUOTAS = 2000

/** One namespace for its owner: what it has, what waits, and why something was refused. Rejects with 404 where there is none of the name. */
export async function namespaceView(
  { viewer, client, signal, now, turn, usage }: Question,
  namespace: string,
): Promise<Answer> {
  const kinds = await viewer.kinds()
  const visible = new VisibleObjects(client, kinds, signal)
  const [facts, claims, increases, refused] = await Promise.all([
    readFacts(client, kinds, namespace, now, kubectlIn(namespace), signal),
    visible.list(resourcePoolClaim.group, resourcePoolClaim.resource, { namespace }),
    visible.list(quotaIncrease.group, quotaIncrease.resource, { namespace }),
    readRefusals(visible, namespace, now),
  ])
  // The API server gives empty lists of it, beside quotas of all namespaces.
  if (facts.isNamespaceMissing === true) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  await compileInTurns(facts, turn)
  const { blocked, isWhole, unread } = await blockedIn(facts, kinds, turn)
  await turn()
  const { quotas: resourceQuotas, karmadaQuotas, namespaceLabels } = facts
  const isTold = isToldOfGlobal(facts.notSeen)
  const customQuotas = facts.customQuotas.filter(
    (quota) =>
      (isTold || quota.kind !== globalCustomQuota.kind) && countsInNamespace(quota, namespace, namespaceLabels),
  )
  const objects = new RowObjects([...resourceQuotas, ...customQuotas, ...karmadaQuotas])
  return {
    code: 200,
    value: {
      format: 1,
      namespace,
      quotas: topQuotas({ namespace, resourceQuotas, customQuotas, karmadaQuotas }).map((row) =>
        objects.estimated(row, usage),
      ),
      claims: topClaims(claims.map((one) => resourcePoolClaim.read(one))),
      increases: increases.flatMap((one) => increaseRow(one, namespace)),
      blocked,
      /** Was every workload looked at and, if blocked, explained? */
      isWhole,
      unread,
      refusals: refused.rows,
      // Classes have been filled in of what is stored.
      notSeen: inOrder([...facts.notSeen, ...visible.notSeen].filter(({ resource }) => !isClasses(resource))),
    },
  }
}

function increaseRow(increase: KubeObject, namespace: string) {
  const explained = explainRequest(increase, namespace)
  if (explained === undefined) return []
  const { object, verdict, summary, causes } = explained
  return [{ name: object.name, verdict, summary, causes }]
}

/** Explains the workloads that a quota keeps from growing, by their topmost owners. */
async function blockedIn(facts: Facts, kinds: ServedKinds, turn: () => Promise<void>) {
  const blocked: Explanation[] = []
  const unread: string[] = []
  let quotas = 0
  const all = workloadsOf(facts, kinds)
  for (const asked of all.slice(0, MOST_LOOKED_AT)) {
    if (blocked.length >= MOST_EXPLAINED || unread.length >= MOST_EXPLAINED || quotas >= MOST_QUOTAS)
      return { blocked, isWhole: false, unread: [...new Set(unread)] }
    await turn()
    try {
      const one = explainAsked(asked, facts)
      if (one.verdict === 'blocked') {
        blocked.push(one)
        quotas += one.budgets.length
      }
    } catch (error) {
      // One broken amount is no reason to explain nothing else.
      if (!(error instanceof ExplainError)) throw error
      unread.push(error.message)
    }
  }
  return { blocked, isWhole: all.length <= MOST_LOOKED_AT, unread: [...new Set(unread)] }
}

/** The workloads and the pods that nobody else in the namespace makes. */
function workloadsOf({ objects, byUid }: Facts, kinds: ServedKinds): readonly Asked[] {
  const resources = [...WORKLOAD_KINDS.values(), { group: '', resource: 'persistentvolumeclaims' }]
  return resources.flatMap(({ group, resource }) => {
    const kind = kinds.of(group, resource)
    if (kind === undefined) return []
    return (objects.get(qualified({ group, resource })) ?? [])
      .filter((object) => !byUid.has(controllerOf(object)?.uid ?? ''))
      .map((object) => ({ object, isStored: true, kind }))
  })
}
