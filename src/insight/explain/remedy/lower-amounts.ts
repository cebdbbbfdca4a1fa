import { type Budget, withUsed } from '../../../charges/budget.ts'
import { rangeViolations } from '../../../charges/limit-range/range-violations.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { objectOf, textOf, valueAt } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { add, subtractWithNonNegativeResult } from '../../../quantity/resource-list.ts'
import { chargeOf, outlook, type Outlook } from '../budget-room.ts'
import { containerRoom, type ContainerRoom, withAmount } from '../container-room.ts'
import type { Priced } from '../costs.ts'
import { family, livePods } from '../demand.ts'
import type { Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { containersOf } from '../next-pod.ts'
import { workloadKind } from '../workload-kinds.ts'
import { patchCommand, rightToPatch, type Situation } from './situation.ts'

/** How a workload gets pods of another template. */
const REPLACING: Readonly<Record<string, 'surging' | 'deleting'>> = {
  deployments: 'surging',
  statefulsets: 'deleting',
  daemonsets: 'deleting',
}

/**
 * One container asks for less. The pods that run keep their amounts until they are replaced: a Deployment makes the next pod beside them, unless it may
 * delete one first.
 */
export function lowerAmounts({ outlooks, pods, top, facts, isStored, isEdited, surge }: Situation): readonly Remedy[] {
  if (pods === undefined || pods.missing === 0) return []
  const remedies: Remedy[] = []
  const isRecreated = valueAt(top, 'spec', 'strategy', 'type') === 'Recreate'
  const way = isRecreated ? 'deleting' : REPLACING[workloadKind(top)?.resource ?? '']
  // Where no pod may be missing, the next one is made before the first of the others goes.
  const ahead = isStored && surge?.unavailable === 0 ? 1 : 0
  const beside =
    way === 'deleting' && pods.demand.existing > 0
      ? []
      : roomsFor({ ...pods, missing: pods.missing + ahead }, outlooks, facts)
  const said = (rooms: readonly ContainerRoom[]): string =>
    rooms
      .map(
        ({ container, side, resource, amount }) => `${resource} ${side} of ${container} at most ${amount.toString()}`,
      )
      .join(', ')
  const command = (patch: JsonObject): Pick<Remedy, 'command'> =>
    isEdited && way !== undefined ? { command: patchCommand(top, facts, patch) } : {}
  if (beside.length > 0)
    remedies.push({
      type: 'lower',
      text: `ask for less: ${said(beside)}; then ${pods.missing === 1 ? 'the missing pod fits' : `all ${pods.missing} missing pods fit`}`,
      ...command(templatePatch(top, beside)),
      needs: rightToPatch(top),
    })
  if (way === undefined || !isStored || pods.demand.existing === 0) return remedies
  const whole = { ...pods, missing: pods.demand.wanted }
  const own = family(pods.demand.maker ?? top, facts).flatMap((one) => livePods(one, facts))
  const emptied = outlooks.map(({ budget }) => outlook(without(budget, own, pods, facts.now), [whole]))
  const instead = roomsFor(whole, emptied, facts)
  if (instead.length === 0 || said(instead) === said(beside)) return remedies
  const maxUnavailable = surge?.enough ?? 1
  const first = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable } } }
  const patch = templatePatch(top, instead)
  remedies.push({
    type: 'lower',
    text: `ask for less: ${said(instead)}; then all ${whole.missing} pods fit once ${way === 'surging' ? `each is deleted before the next is made (maxSurge 0, maxUnavailable ${maxUnavailable})` : 'all are replaced'}`,
    ...command(way === 'surging' ? { spec: { ...objectOf(patch['spec']), ...first } } : patch),
    needs: rightToPatch(top),
  })
  return remedies
}

/** The amounts with which so many pods fit; none where one of the limits cannot be met so, or the pod would be refused for another reason. */
function roomsFor(pods: Priced, outlooks: readonly Outlook[], { limitRanges, now }: Facts): readonly ContainerRoom[] {
  const rooms = outlooks.flatMap(({ budget }) =>
    outlook(budget, [pods]).excesses.map((excess) => containerRoom(budget, excess, pods, now)),
  )
  if (rooms.some((room) => room === undefined)) return []
  const lowest = leastOf(rooms.filter((room) => room !== undefined))
  const least = [...lowest, ...lowest.flatMap((room) => requestBelow(room, lowest, pods))]
  const changed = least.reduce<KubeObject>(withAmount, pods.object)
  const isRefused = limitRanges.some((range) => rangeViolations(range, 'pods', changed).next().done !== true)
  return isRefused ? [] : least
}

/** A limit that is lowered takes the request of its container down with it, which may not be above it. */
function requestBelow(room: ContainerRoom, all: readonly ContainerRoom[], { parts }: Priced): readonly ContainerRoom[] {
  const { container, side, resource, amount } = room
  if (side === 'requests' || parts === undefined || parts.sourceOf(container, 'requests', resource) === 'limits')
    return []
  if (all.some((one) => one.side === 'requests' && one.container === container && one.resource === resource)) return []
  const found = containersOf(parts.pod).find(({ name }) => textOf(name) === container)
  const request = valueAt(found, 'resources', 'requests', resource)
  return request !== undefined && Quantity.fromJson(request).cmp(amount) > 0 ? [{ ...room, side: 'requests' }] : []
}

/** A budget as if some pods were gone. */
function without(budget: Budget, gone: readonly KubeObject[], { demand }: Priced, now: number): Budget {
  const freed = gone
    .map((object) => chargeOf(budget, { object, demand, cost: podEvaluator.usage(object, { now }) }) ?? {})
    .reduce(add, {})
  return withUsed(budget, subtractWithNonNegativeResult(budget.used, freed))
}

/** The smallest amount for each container, side and resource. */
function leastOf(rooms: readonly ContainerRoom[]): readonly ContainerRoom[] {
  const least = new Map<string, ContainerRoom>()
  for (const room of rooms) {
    const key = `${room.container}/${room.side}/${room.resource}`
    const known = least.get(key)
    if (known === undefined || room.amount.cmp(known.amount) < 0) least.set(key, room)
  }
  return [...least.values()]
}

function templatePatch(top: KubeObject, rooms: readonly ContainerRoom[]): JsonObject {
  const containers = [...Map.groupBy(rooms, ({ container }) => container)].map(([name, own]) => {
    const sides = [...Map.groupBy(own, ({ side }) => side)].map(
      ([side, some]) =>
        [side, Object.fromEntries(some.map(({ resource, amount }) => [resource, amount.toString()]))] as const,
    )
    return { name, resources: Object.fromEntries(sides) }
  })
  const inner: JsonObject = { template: { spec: { containers } } }
  return { spec: top.kind === 'CronJob' ? { jobTemplate: { spec: inner } } : inner }
}
