import type { Budget } from '../../charges/budget.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { outlook, refusalsOf } from './budget-room.ts'
import { amountOfUnits, type ContainerRoom, unitsOf, withAmount } from './container-room.ts'
import { costliestContainers } from './costliest-containers.ts'
import type { Priced } from './costs.ts'
import { containersOf, type Side } from './next-pod.ts'

/** How what has to be made follows from a pod. */
export interface Shape {
  readonly pod: KubeObject
  /** The containers that the owner of the workload does not write. */
  readonly injected: ReadonlySet<string>
  readonly sides: readonly Side[]
  /** The demands with a pod that asks for less. */
  readonly demandsWith: (pod: KubeObject) => readonly Priced[]
}

/** Resources of which a container may request less than its limit. */
export const OVERCOMMITTED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** Each amount that is tried is measured anew, so larger pods are left out. */
const MOST_CONTAINERS = 20

export const isTooLargeToMeasure = (pod: Pod): boolean => containersOf(pod).length > MOST_CONTAINERS

/** Stands for amounts of a pod that is too large to be measured for each. */
export const smallerLeftOut = (pod: Pod): string => `smaller amounts for ${containersOf(pod).length} containers`

/**
 * Returns the largest amount of a container with which an exceeded limit is kept, of a budget with a measure of its own. It is found by trial: the
 * budget measures each amount anew. Undefined where the cost does not follow from the amount of one container, and for pods of many containers.
 */
export function measuredRoom(budget: Budget, limit: string, shape: Shape, now: number): ContainerRoom | undefined {
  const { pod, injected, sides, demandsWith } = shape
  if (isTooLargeToMeasure(pod)) return undefined
  const keeps = (changed: KubeObject): boolean => {
    const demands = demandsWith(changed)
    return (
      outlook(budget, demands).excesses.every(({ resource }) => resource !== limit) &&
      demands.every(({ object, demand }) => refusalsOf([budget], object, demand.resource, now).length === 0)
    )
  }
  const names = new Set(
    containersOf(pod).flatMap(({ resources }) =>
      sides.flatMap((side) => Object.keys(objectOf(objectOf(resources)[side]))),
    ),
  )
  for (const side of sides)
    for (const resource of names) {
      if (!OVERCOMMITTED.has(resource)) continue
      const [largest] = costliestContainers(pod, side, resource)
        .filter(({ container }) => !injected.has(container))
        .toSorted((a, b) => b.amount.cmp(a.amount))
      if (largest === undefined) continue
      const { container } = largest
      const roomOf = (units: bigint): ContainerRoom => ({
        container,
        side,
        resource,
        amount: amountOfUnits(units, resource),
      })
      const units = largestBelow(unitsOf(largest.amount, resource), (some) => keeps(withAmount(pod, roomOf(some))))
      if (units > 0n) return roomOf(units)
    }
  return undefined
}

/** Returns the largest whole number from 1 and below another for which something holds that holds for all smaller ones; 0: there is none. */
export function largestBelow(above: bigint, holds: (number: bigint) => boolean): bigint {
  if (above <= 1n || !holds(1n)) return 0n
  let [most, few] = [1n, above]
  while (few - most > 1n) {
    const middle = (few + most) / 2n
    if (holds(middle)) most = middle
    else few = middle
  }
  return most
}
