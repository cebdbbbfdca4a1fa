import { QUOTA_EVALUATORS } from '../../charges/evaluators/evaluator-table.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import { isCounted, type Outlook } from './budget-room.ts'
import { sideOf } from './costs.ts'
import type { Holder } from './explanation.ts'
import { chainOf, type Facts, idOf } from './facts.ts'
import { amountsIn, injectedInto } from './next-pod.ts'
import { workloadKind } from './workload-kinds.ts'

interface Share {
  readonly owner: KubeObject
  objects: number
  amount: Quantity
  injected: Quantity
}

/** So many holders of each limit are named. */
const MOST = 10

/** The owners of what takes the room of the limits that are exceeded, the largest first. */
export const holdersOf = (outlooks: readonly Outlook[], facts: Facts): readonly Holder[] =>
  outlooks.flatMap((one) => one.excesses.flatMap(({ resource }) => holdersOfLimit(one, resource, facts)))

function holdersOfLimit({ budget }: Outlook, resource: string, facts: Facts): readonly Holder[] {
  const shares = new Map<KubeObject, Share>()
  for (const [id, objects] of facts.objects) {
    const [name = '', ...group] = id.split('.')
    const evaluator = QUOTA_EVALUATORS.of({ group: group.join('.'), resource: name })
    if (evaluator?.counts(resource) !== true) continue
    for (const object of objects) {
      const amount = quantityOf(evaluator.usage(object, { now: facts.now }), resource)
      if (amount === undefined || amount.sign() <= 0 || !isCounted(budget, object, evaluator)) continue
      const chain = chainOf(object, facts)
      const owner = chain[0] ?? object
      const share = shares.get(owner) ?? { owner, objects: 0, amount: Quantity.zero, injected: Quantity.zero }
      share.objects += 1
      share.amount = share.amount.add(amount)
      share.injected = share.injected.add(injectedPart(object, chain, resource))
      shares.set(owner, share)
    }
  }
  return [...shares.values()]
    .toSorted((a, b) => b.amount.cmp(a.amount))
    .slice(0, MOST)
    .map(({ owner, objects, amount, injected }) => ({
      owner: idOf(owner),
      objects,
      budget: budget.ref.name,
      resource,
      amount: amount.toString(),
      ...(injected.isZero() ? {} : { injected: injected.toString() }),
    }))
}

/** What the containers of a pod take that the template of its workload does not have. */
function injectedPart(pod: KubeObject, chain: readonly KubeObject[], name: string): Quantity {
  const maker = chain.at(-2)
  if (maker === undefined || pod.kind !== 'Pod' || workloadKind(maker) === undefined) return Quantity.zero
  const { initContainers = [], containers = [] } = injectedInto(pod, maker)
  // Init containers that end do not add to what a pod takes.
  const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')]
  const { side, resource } = sideOf(name)
  return amountsIn(running, side, resource).reduce((sum, { amount }) => sum.add(amount), Quantity.zero)
}
