import type { Container, ContainerStatus, Pod, PodStatus } from '../../builtin/core-v1.ts'
import { givenObject, givenObjects, objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { isPodLevelName } from '../../kinds/core/container/pod-level-resources.ts'

/** Amounts by resource name, under construction. */
export type PodAmounts = Map<string, Quantity>

type Side = 'requests' | 'limits'

/** Returns the requests of a pod, overhead included (upstream component-helpers `PodRequests`). */
export function podRequests(pod: Pod): PodAmounts {
  const total = aggregate(pod, 'requests')
  for (const [name, amount] of overhead(pod)) total.set(name, total.get(name)?.add(amount) ?? amount)
  return total
}

/** Returns the limits of a pod; overhead raises only limits that exist (upstream `PodLimits`). */
export function podLimits(pod: Pod): PodAmounts {
  const total = aggregate(pod, 'limits')
  for (const [name, amount] of overhead(pod)) {
    const limit = total.get(name)
    if (limit !== undefined && !limit.isZero()) total.set(name, limit.add(amount))
  }
  return total
}

/**
 * The containers and sidecars run together; plain init containers run one by one before them, beside the sidecars that
 * started earlier. A pod takes the larger of the two, resource by resource.
 */
function aggregate(pod: Pod, side: Side): PodAmounts {
  const spec = specOf(pod)
  const resized = resizing(pod)
  const total: PodAmounts = new Map()
  for (const container of givenObjects(spec.containers)) addResources(total, container, side, resized)
  const initContainers = givenObjects(spec.initContainers)
  if (initContainers.length > 0) addInitContainers(total, initContainers, side, resized)
  for (const [name, amount] of podLevel(pod, side)) total.set(name, amount)
  return total
}

/** Amounts of the pod as a whole replace the sums of its containers; while it is resized, the largest counts. */
function podLevel(pod: Pod, side: Side): PodAmounts {
  const wanted = podLevelAmounts(objectOf(specOf(pod).resources)[side])
  const status = statusOf(pod)
  const inForce = givenObject(status.resources)
  if (wanted.size === 0 || inForce === undefined) return wanted
  const most = isInfeasible(status) ? new Map<string, Quantity>() : wanted
  raiseAll(most, podLevelAmounts(inForce[side]))
  if (side === 'requests') raiseAll(most, podLevelAmounts(status.allocatedResources))
  return most
}

function podLevelAmounts(list: unknown): PodAmounts {
  const all = amounts(list)
  for (const name of all.keys()) if (!isPodLevelName(name)) all.delete(name)
  return all
}

function addInitContainers(
  total: PodAmounts,
  containers: readonly Container[],
  side: Side,
  resized: Resizing | undefined,
): void {
  const sidecars: PodAmounts = new Map()
  const starting: PodAmounts = new Map()
  for (const container of containers) {
    if (container.restartPolicy === 'Always') {
      const amounts = amountsOf(container, side, resized)
      addAll(total, amounts)
      addAll(sidecars, amounts)
      raiseAll(starting, sidecars)
    } else {
      const beside = amountsOf(container, side, undefined)
      addAll(beside, sidecars)
      raiseAll(starting, beside)
    }
  }
  raiseAll(total, starting)
}

interface Resizing {
  readonly statuses: ReadonlyMap<string, ContainerStatus>
  /** The node cannot give what the spec now asks for, so the spec does not count. */
  readonly infeasible: boolean
}

/** Returns the containers' resources that the node reports; undefined where it reports none. */
function resizing(pod: Pod): Resizing | undefined {
  const status = givenObject(pod.status)
  if (status === undefined) return undefined
  const statuses = new Map<string, ContainerStatus>()
  for (const list of [status.containerStatuses, status.initContainerStatuses]) {
    for (const one of givenObjects(list)) {
      if (givenObject(one.resources) !== undefined) statuses.set(textOf(one.name), one)
    }
  }
  if (statuses.size === 0) return undefined
  return { statuses, infeasible: isInfeasible(status) }
}

function isInfeasible(status: PodStatus): boolean {
  const pending = givenObjects(status.conditions).find(({ type }) => type === 'PodResizePending')
  return pending?.reason === 'Infeasible'
}

/**
 * Returns the resources of a container. During a resize the largest of the wanted, the current and the reserved amounts
 * counts.
 */
function amountsOf(container: Container, side: Side, resized: Resizing | undefined): PodAmounts {
  const wanted = amounts(objectOf(container.resources)[side])
  const status = resized?.statuses.get(textOf(container.name))
  if (resized === undefined || status === undefined) return wanted
  const most = resized.infeasible ? new Map<string, Quantity>() : wanted
  raiseAll(most, amounts(objectOf(status.resources)[side]))
  if (side === 'requests') raiseAll(most, amounts(status.allocatedResources))
  return most
}

/** Adds what one container takes; the way of most, with nothing in between. */
function addResources(to: PodAmounts, container: Container, side: Side, resized: Resizing | undefined): void {
  if (resized === undefined) addList(to, objectOf(container.resources)[side])
  else addAll(to, amountsOf(container, side, resized))
}

function overhead(pod: Pod): PodAmounts {
  return amounts(specOf(pod).overhead)
}

function amounts(list: unknown): PodAmounts {
  const result: PodAmounts = new Map()
  addList(result, list)
  return result
}

/** Walks keys, not entries: this is the hottest loop of admission, and entries take half of its time. */
function addList(to: PodAmounts, sent: unknown): void {
  const list = objectOf(sent)
  for (const name of Object.keys(list)) {
    const amount = Quantity.fromJson(list[name])
    const known = to.get(name)
    to.set(name, known === undefined ? amount : known.add(amount))
  }
}

function addAll(to: PodAmounts, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of more) to.set(name, to.get(name)?.add(amount) ?? amount)
}

function raiseAll(to: PodAmounts, others: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of others) {
    const known = to.get(name)
    if (known === undefined || amount.cmp(known) > 0) to.set(name, amount)
  }
}
