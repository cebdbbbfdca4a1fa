import type { Budget } from '../../charges/budget.ts'
import type { Excess } from '../../charges/refusal.ts'
import { podEvaluator } from '../../charges/evaluators/pod.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import { FINEST } from './budget-room.ts'
import { type Priced, sideOf } from './costs.ts'
import { amountsIn, type Side } from './next-pod.ts'

/** The largest amount of a container with which all pods that are missing fit. */
export interface ContainerRoom {
  readonly container: string
  readonly side: Side
  readonly resource: string
  readonly amount: Quantity
}

/** Amounts of containers, for a sentence. */
export const amountsText = (rooms: readonly ContainerRoom[]): string =>
  rooms
    .map(({ container, side, resource, amount }) => `${resource} ${side} of ${container} to ${amount.toString()}`)
    .join(', ')

/** Processors are shared by the thousandth, everything else by the unit. */
const scaleOf = (resource: string): number => (resource === 'cpu' ? -3 : 0)
const unitOf = (resource: string): bigint => 10n ** BigInt(scaleOf(resource) - FINEST)

/** The largest amount of a resource within so many billionths that people can ask for. */
export const largestWithin = (billionths: bigint, resource: string): Quantity =>
  Quantity.ofScaled(
    billionths / unitOf(resource),
    scaleOf(resource),
    resource === 'cpu' || resource.includes('/') ? 'DecimalSI' : 'BinarySI',
  )

/** The smallest amount of a resource of at least so many billionths that people can ask for. */
export const smallestFrom = (billionths: bigint, resource: string): Quantity =>
  largestWithin(billionths + unitOf(resource) - 1n, resource)

/**
 * Returns the largest amount that the container with the largest share can have, so that all pods that are missing fit under an exceeded limit; undefined
 * where no amount above zero does. Injected containers are left alone: the owner of the workload does not write them.
 */
export function containerRoom(
  { hard, used }: Budget,
  { resource: name }: Excess,
  one: Priced,
  now: number,
): ContainerRoom | undefined {
  const { parts, missing, cost } = one
  const limit = quantityOf(hard, name)
  if (parts === undefined || missing === 0 || limit === undefined) return undefined
  const { side, resource } = sideOf(name)
  const own = amountsIn(objectsOf(specOf<Pod>(parts.pod).containers), side, resource)
    .filter(({ container }) => !parts.injected.has(container))
    .toSorted((a, b) => b.amount.cmp(a.amount))
  const [largest] = own
  if (largest === undefined) return undefined
  const room = limit.sub(quantityOf(used, name) ?? Quantity.zero).scaledValue(FINEST)
  if (room <= 0n) return undefined
  const others = (quantityOf(cost, name) ?? Quantity.zero).sub(largest.amount).scaledValue(FINEST)
  const amount = largestWithin(room / BigInt(missing) - others, resource)
  if (amount.sign() <= 0) return undefined
  const changed = withAmount(parts.pod, { container: largest.container, side, resource, amount })
  const each = quantityOf(podEvaluator.usage(changed, { now }), name) ?? Quantity.zero
  // Init containers and the pod's own amounts may keep the cost up, whatever this container has.
  const extra = (quantityOf(cost, name) ?? Quantity.zero).sub(
    quantityOf(podEvaluator.usage(parts.pod, { now }), name) ?? Quantity.zero,
  )
  const isEnough = each.add(extra).mul(BigInt(missing)).scaledValue(FINEST) <= room
  return isEnough && amount.cmp(largest.amount) < 0
    ? { container: largest.container, side, resource, amount }
    : undefined
}

/** The same pod with another amount in one container. */
export function withAmount(pod: Pod, { container, side, resource, amount }: ContainerRoom): KubeObject {
  const change = (one: JsonObject): JsonObject => {
    if (textOf(one['name']) !== container) return one
    const resources = objectOf(one['resources'])
    return {
      ...one,
      resources: { ...resources, [side]: { ...objectOf(resources[side]), [resource]: amount.toString() } },
    }
  }
  const spec = specOf(pod)
  const changed = (list: unknown): readonly JsonObject[] => objectsOf(list).map(change)
  const { initContainers, containers } = spec
  return {
    ...pod,
    spec: {
      ...spec,
      ...(initContainers === undefined ? {} : { initContainers: changed(initContainers) }),
      containers: changed(containers),
    },
  }
}
