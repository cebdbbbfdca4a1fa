import type { Pod } from '../../../builtin/core-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { objectsOf, textOf, valueAt } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import { FINEST, type Outlook } from '../budget-room.ts'
import { amountsText, type ContainerRoom, largestWithin } from '../container-room.ts'
import type { Priced } from '../costs.ts'
import type { Cause, Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { amountsIn, containersOf, lacks, type Side, sideOf } from '../next-pod.ts'
import { type LeftOut, rightToPatch, type Situation } from './situation.ts'
import { editCommand, isHeldBack, templatePatch } from './template-edit.ts'

/** The amounts of a container that sets none, if no other container in the namespace gives an example. */
const USUAL: Readonly<Record<string, string>> = { cpu: '100m', memory: '128Mi' }

/** The demanded values for containers that say nothing: set in the template by its owner, or given by a LimitRange. */
export function defaultValues(situation: Situation): readonly (Remedy | LeftOut)[] {
  const { causes, facts, outlooks, pods } = situation
  const missing = causes.filter(({ type }) => type === 'missing-values')
  if (missing.length === 0 || pods === undefined) return []
  const demanded = missing.flatMap(({ by }) => demandedBy(by.name, outlooks, pods))
  const amounts = new Map<string, Quantity>()
  for (const { side, resource } of demanded.map(sideOf)) {
    amounts.set(`${side}.${resource}`, defaultAmount(side, resource, facts, outlooks, pods))
  }
  const own = new Map(amounts)
  for (const [name, limit] of amounts) {
    const { side, resource } = sideOf(name)
    if (side === 'requests') continue
    // A container that has a request and no limit gets this limit, too.
    const asked = requestsWithoutLimit(resource, facts, pods)
    const highest = asked.reduce((most, one) => (one.cmp(most) > 0 ? one : most), limit)
    amounts.set(name, highest)
    // A request may not be above the limit, and is as high as the limit where it is not given.
    const request = amounts.get(`requests.${resource}`) ?? defaultAmount('requests', resource, facts, outlooks, pods)
    amounts.set(`requests.${resource}`, request.cmp(highest) > 0 ? highest : request)
  }
  const listed = (wanted: Side): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...amounts]
        .map(([name, amount]) => ({ ...sideOf(name), amount }))
        .filter(({ side }) => side === wanted)
        .map(({ resource, amount }) => [resource, amount.toString()]),
    )
  const limits = listed('limits')
  const taken = new Set(facts.limitRanges.map(({ metadata }) => metadata.name))
  const name =
    ['container-defaults', 'container-defaults-2', 'container-defaults-3'].find((one) => !taken.has(one)) ??
    `container-defaults-${taken.size}`
  const limit = {
    type: 'Container',
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    defaultRequest: listed('requests'),
  }
  const range = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name, namespace: facts.namespace },
    spec: { limits: [limit] },
  }
  return [
    ...setValues(situation, pods.object, missing, own),
    {
      type: 'limit-range',
      text: 'give every container of the namespace a default by a LimitRange',
      manifest: range,
      needs: { verb: 'create', group: '', resource: 'limitranges', name },
    },
  ]
}

/** Nobody sets more by hand. */
const MOST_SET = 100

/** Nothing where a container that somebody injects lacks values, too: the owner of the workload does not write them. */
function setValues(
  situation: Situation,
  pod: Pod,
  missing: readonly Cause[],
  amounts: ReadonlyMap<string, Quantity>,
): readonly (Remedy | LeftOut)[] {
  const { top } = situation
  const isForeign = missing.some(({ containers }) => containers.some(({ injected }) => injected))
  const rooms = containersOf(pod).flatMap((one) => missingIn(one, amounts))
  if (isForeign || rooms.length === 0 || isHeldBack(top)) return []
  if (rooms.length > MOST_SET) return [{ leftOut: `the ${rooms.length} amounts that containers lack` }]
  return [
    {
      type: 'set',
      text: `set ${amountsText(rooms)}`,
      ...editCommand(situation, templatePatch(top, rooms)),
      needs: rightToPatch(top),
    },
  ]
}

/** The amounts that a container does not say. A request is never above the limit beside it. */
function missingIn(one: JsonObject, amounts: ReadonlyMap<string, Quantity>): readonly ContainerRoom[] {
  const given = (side: Side, resource: string): Quantity | undefined => amountsIn([one], side, resource)[0]?.amount
  return [...amounts].flatMap(([name, amount]) => {
    const { side, resource } = sideOf(name)
    if (given(side, resource) !== undefined) return []
    const other = given(side === 'limits' ? 'requests' : 'limits', resource)
    const isOff = other !== undefined && (side === 'limits' ? amount.cmp(other) < 0 : amount.cmp(other) > 0)
    return [{ container: textOf(one['name']), side, resource, amount: isOff ? other : amount }]
  })
}

function requestsWithoutLimit(resource: string, { objects }: Facts, { object }: Priced): readonly Quantity[] {
  const unlimited = [object, ...(objects.get('pods') ?? [])]
    .flatMap(containersOf)
    .filter((one) => valueAt(one, 'resources', 'limits', resource) === undefined)
  return amountsIn(unlimited, 'requests', resource).map(({ amount }) => amount)
}

const isLacking = (parts: Priced['parts'], one: JsonObject, side: Side, resource: string): boolean =>
  lacks(parts ?? { lacking: new Map() }, one, side, resource) === true

function demandedBy(quota: string, outlooks: readonly Outlook[], { object, parts }: Priced): readonly string[] {
  const found = outlooks.find(({ budget }) => budget.ref.name === quota)
  return Object.keys(found?.budget.hard ?? {}).filter((name) => {
    const { side, resource } = sideOf(name)
    return Object.hasOwn(USUAL, resource) && containersOf(object).some((one) => isLacking(parts, one, side, resource))
  })
}

/** What is usual in the namespace, and no more than fits for each container that says nothing. */
function defaultAmount(
  side: Side,
  resource: string,
  facts: Facts,
  outlooks: readonly Outlook[],
  { object, parts, missing, cost }: Priced,
): Quantity {
  const lacking = containersOf(object).filter((one) => isLacking(parts, one, side, resource)).length
  const names = side === 'limits' ? [`limits.${resource}`] : [resource, `requests.${resource}`]
  const rooms = outlooks.flatMap(({ budget: { hard, used } }) =>
    names.flatMap((name) => {
      const most = quantityOf(hard, name)
      if (most === undefined || lacking === 0 || missing === 0) return []
      const room = most.sub(quantityOf(used, name) ?? Quantity.zero)
      const each =
        room.scaledValue(FINEST) / BigInt(missing) - (quantityOf(cost, name) ?? Quantity.zero).scaledValue(FINEST)
      return [largestWithin(each / BigInt(lacking), resource)]
    }),
  )
  return rooms
    .filter((room) => room.sign() > 0)
    .reduce((least, room) => (room.cmp(least) < 0 ? room : least), usualAmount(side, resource, facts))
}

/** The median of what the containers of the namespace say. */
function usualAmount(side: Side, resource: string, { objects }: Facts): Quantity {
  const containers = (objects.get('pods') ?? []).flatMap((pod) => objectsOf(valueAt(pod, 'spec', 'containers')))
  const amounts = amountsIn(containers, side, resource)
    .map(({ amount }) => amount)
    .toSorted((a, b) => a.cmp(b))
  return amounts[Math.floor((amounts.length - 1) / 2)] ?? Quantity.parse(USUAL[resource] ?? '1')
}
