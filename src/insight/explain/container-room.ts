import type { Budget } from '../../charges/budget.ts'
import type { Excess } from '../../charges/refusal.ts'
import { podEvaluator } from '../../charges/evaluators/pod.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import { FINEST } from './budget-room.ts'
import { costliestContainers } from './costliest-containers.ts'
import type { Priced } from './costs.ts'
import { type Side, sideOf } from './next-pod.ts'
import { podLevelAmount, WHOLE_POD } from './pod-level.ts'

/** An amount of a container, or of the pod as a whole (`WHOLE_POD`), with which all pods that are missing fit. */
export interface ContainerRoom {
  readonly container: string
  readonly side: Side
  readonly resource: string
  readonly amount: Quantity
}

/** So many amounts are named in a sentence. */
const MOST_NAMED = 20

/** Amounts of containers, for a sentence, and how many more there are. */
export function amountsText(rooms: readonly ContainerRoom[]): string {
  const named = rooms
    .slice(0, MOST_NAMED)
    .map(({ container, side, resource, amount }) => `${resource} ${side} of ${container} to ${amount.toString()}`)
    .join(', ')
  return rooms.length > MOST_NAMED ? `${named} and ${rooms.length - MOST_NAMED} more amounts` : named
}

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

/** An amount in units that people can ask for, rounded up. */
export const unitsOf = (amount: Quantity, resource: string): bigint =>
  (amount.scaledValue(FINEST) + unitOf(resource) - 1n) / unitOf(resource)

/** So many units as an amount. */
export const amountOfUnits = (units: bigint, resource: string): Quantity =>
  largestWithin(units * unitOf(resource), resource)

/** Amounts that containers may have at most, for a sentence. */
export const roomsText = (rooms: readonly ContainerRoom[]): string =>
  rooms
    .map(
      ({ container, side, resource, amount }) =>
        `${resource} ${side} of ${container === WHOLE_POD ? 'the pod' : container} at most ${amount.toString()}`,
    )
    .join(', ')

/** The smallest amount for each container, side and resource. */
export function leastRooms(rooms: readonly ContainerRoom[]): readonly ContainerRoom[] {
  const least = new Map<string, ContainerRoom>()
  for (const room of rooms) {
    const key = `${room.container}/${room.side}/${room.resource}`
    const known = least.get(key)
    if (known === undefined || room.amount.cmp(known.amount) < 0) least.set(key, room)
  }
  return [...least.values()]
}

/**
 * Returns the largest amounts of containers with which all missing pods fit under an exceeded limit. Only the container
 * with the largest share of the cost asks for less. Init containers and main containers may both have to. Undefined if
 * only amounts of zero would fit. Injected containers keep their amounts, because the owner of the workload does not
 * write them.
 */
export function containerRooms(
  { hard, used }: Budget,
  { resource: name }: Excess,
  { parts, missing, cost }: Priced,
  now: number,
): readonly ContainerRoom[] | undefined {
  const limit = quantityOf(hard, name)
  if (parts === undefined || missing === 0 || limit === undefined) return undefined
  const { side, resource } = sideOf(name)
  const room = limit.sub(quantityOf(used, name) ?? Quantity.zero).scaledValue(FINEST)
  if (room <= 0n) return undefined
  const usageOf = (pod: Pod): Quantity => quantityOf(podEvaluator.usage(pod, { now }), name) ?? Quantity.zero
  // A refusal may tell of more than all containers have that are known.
  const extra = (quantityOf(cost, name) ?? Quantity.zero).sub(usageOf(parts.pod))
  const own = podLevelAmount(parts.pod, side, resource)
  if (own !== undefined) {
    const others = usageOf(parts.pod).add(extra).sub(own).scaledValue(FINEST)
    const amount = largestWithin(room / BigInt(missing) - others, resource)
    return amount.sign() <= 0 || amount.cmp(own) >= 0 ? undefined : [{ container: WHOLE_POD, side, resource, amount }]
  }
  const rooms = new Map<string, ContainerRoom>()
  let pod: KubeObject = parts.pod
  // Each turn makes room for those that run together, or for one init container.
  for (let turn = 0; turn <= objectsOf(specOf<Pod>(pod).initContainers).length; turn++) {
    const [largest] = costliestContainers(pod, side, resource)
      .filter(({ container }) => !parts.injected.has(container))
      .toSorted((a, b) => b.amount.cmp(a.amount))
    if (largest === undefined) return undefined
    const { container } = largest
    const others = usageOf(pod).add(extra).sub(largest.amount).scaledValue(FINEST)
    const amount = largestWithin(room / BigInt(missing) - others, resource)
    if (amount.sign() <= 0 || amount.cmp(largest.amount) >= 0) return undefined
    const one = { container, side, resource, amount }
    rooms.set(container, one)
    pod = withAmount(pod, one)
    if (usageOf(pod).add(extra).mul(BigInt(missing)).scaledValue(FINEST) <= room) return [...rooms.values()]
  }
  return undefined
}

/** The same pod with another amount in one container. */
export const withAmount = (pod: Pod, room: ContainerRoom): KubeObject => withAmounts(pod, [room])

/** The same pod with other amounts in its containers. */
export function withAmounts(pod: Pod, rooms: readonly ContainerRoom[]): KubeObject {
  const byContainer = Map.groupBy(rooms, ({ container }) => container)
  const changeBy = (name: string, one: JsonObject): JsonObject => {
    const own = byContainer.get(name)
    if (own === undefined) return one
    const resources = objectOf(one['resources'])
    const sides = [...Map.groupBy(own, ({ side }) => side)].map(([side, all]) => {
      const amounts = all.map(({ resource, amount }) => [resource, amount.toString()] as const)
      return [side, { ...objectOf(resources[side]), ...Object.fromEntries(amounts) }] as const
    })
    return { ...one, resources: { ...resources, ...Object.fromEntries(sides) } }
  }
  const change = (one: JsonObject): JsonObject => changeBy(textOf(one['name']), one)
  const spec = specOf(pod)
  const changed = (list: unknown): readonly JsonObject[] => objectsOf(list).map(change)
  const { initContainers, containers } = spec
  return {
    ...pod,
    spec: {
      ...changeBy(WHOLE_POD, spec),
      ...(initContainers === undefined ? {} : { initContainers: changed(initContainers) }),
      containers: changed(containers),
    },
  }
}
