import type { Pod } from '../../builtin/core-v1.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { objectsOf, specOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { amountsIn, type Side } from './next-pod.ts'

/** What containers take of one resource on one side. */
export type ContainerAmounts = ReturnType<typeof amountsIn>

/**
 * The containers whose sum a pod costs: those that run together, or an init container beside the sidecars that started before it, whichever takes more
 * (upstream component-helpers `PodRequests`). Throws QuantityError for an amount that is none.
 */
export function costliestContainers(pod: Pod, side: Side, resource: string): ContainerAmounts {
  const { containers, initContainers } = specOf(pod)
  const starting = objectsOf(initContainers)
  const isSidecar = ({ restartPolicy }: JsonObject): boolean => restartPolicy === 'Always'
  const groups = [
    [...starting.filter(isSidecar), ...objectsOf(containers)],
    ...starting.flatMap((one, index) => (isSidecar(one) ? [] : [[...starting.slice(0, index).filter(isSidecar), one]])),
  ].map((group) => amountsIn(group, side, resource))
  return groups.reduce((most, group) => (sumOf(group).cmp(sumOf(most)) > 0 ? group : most))
}

export const sumOf = (amounts: ContainerAmounts): Quantity =>
  amounts.reduce((all, { amount }) => all.add(amount), Quantity.zero)
