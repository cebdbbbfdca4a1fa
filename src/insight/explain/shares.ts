import type { Budget } from '../../charges/budget.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { textAt } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { isCounted } from './budget-room.ts'
import { isBinding } from './bindings.ts'
import type { ObjectId } from './explanation.ts'
import { chainOf, type Facts, idOf } from './facts.ts'
import { measuredBy } from './measured.ts'
import { amountsIn, injectedInto, sideOf } from './next-pod.ts'
import { resourceNamed } from './resource-named.ts'
import { workloadKind } from './workload-kinds.ts'

/** What one object takes of a limit. */
export interface Share {
  readonly owner: ObjectId
  readonly amount: Quantity
  readonly injected: Quantity
}

/** What the objects take of a limit that were read. */
export function seenShares(budget: Budget, resource: string, facts: Facts): readonly Share[] {
  const takerOf = takersIn(facts)
  const shares: Share[] = []
  for (const [id, objects] of facts.objects) {
    const by = measuredBy(budget.rule.evaluators, resourceNamed(id), facts)
    if (by?.evaluator.counts(resource) !== true) continue
    for (const object of objects) {
      if (!isCounted(budget, object, by.evaluator)) continue
      const amount = quantityOf(by.usage(object), resource)
      if (amount === undefined || amount.sign() <= 0) continue
      const { owner, injected } = takerOf(object)
      shares.push({ owner, amount, injected: injected.length === 0 ? Quantity.zero : sumIn(injected, resource) })
    }
  }
  return shares
}

/** The owner for which an object uses a quota. */
interface Taker {
  readonly owner: ObjectId
  /** The containers that run and that the template of its workload does not have. */
  readonly injected: readonly JsonObject[]
}

const takersIn = oncePerObject((facts: Facts) =>
  oncePerObject((object: KubeObject): Taker => {
    const chain = chainOf(object, facts)
    return { owner: ownerOf(chain[0] ?? object), injected: injectedContainers(object, chain) }
  }),
)

/** A binding uses the quota for the workload that it places. */
function ownerOf(top: KubeObject): ObjectId {
  if (!isBinding(top)) return idOf(top)
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(top, 'spec', 'resource', field))
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', namespace: top.metadata.namespace ?? '', name: name ?? '' }
}

function injectedContainers(pod: KubeObject, chain: readonly KubeObject[]): readonly JsonObject[] {
  const maker = chain.at(-2)
  if (maker === undefined || pod.kind !== 'Pod' || workloadKind(maker) === undefined) return []
  const { initContainers = [], containers = [] } = injectedInto(pod, maker)
  // Init containers that end do not add to what a pod takes.
  return [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')]
}

function sumIn(containers: readonly JsonObject[], name: string): Quantity {
  const { side, resource } = sideOf(name)
  return amountsIn(containers, side, resource).reduce((sum, { amount }) => sum.add(amount), Quantity.zero)
}

/** A custom quota lists itself what it counts, of whatever kinds; undefined for other quotas. */
export function listedShares(source: KubeObject, facts: Facts): readonly Share[] | undefined {
  if (!['CustomQuota', 'GlobalCustomQuota'].includes(source.kind)) return undefined
  const { claims = [] } = (source as CustomQuota).status ?? {}
  return claims.flatMap(({ group, version, kind, namespace = '', name, uid, usage }) => {
    const amount = Quantity.fromJson(usage)
    if (amount.sign() <= 0) return []
    const seen = facts.byUid.get(uid)
    const [top] = seen === undefined ? [] : chainOf(seen, facts)
    const owner =
      top === undefined
        ? (facts.owners?.get(uid) ?? { apiVersion: apiVersionOf({ group, version }), kind, namespace, name })
        : idOf(top, facts.namespace)
    return [{ owner, amount, injected: Quantity.zero }]
  })
}
