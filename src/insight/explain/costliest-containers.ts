import type { Pod } from '../../builtin/core-v1.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { objectsOf, specOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { amountsIn, type Side } from './next-pod.ts'

/** What containers take of one resource on one side. */
export type ContainerAmounts = ReturnType<typeof amountsIn>

/**
 * Returns the containers whose sum is the cost of a pod. These are the main containers, or an init container with the
 * sidecars that started before it. The larger sum counts (upstream component-helpers `PodRequests`). Throws
 * QuantityError for an invalid amount.
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
