import { objectsOf, valueAt } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import { FINEST, type Outlook } from '../budget-room.ts'
import { largestWithin } from '../container-room.ts'
import { type Priced, sideOf } from '../costs.ts'
import type { Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { amountsIn, containersOf, type Side } from '../next-pod.ts'
import type { Situation } from './situation.ts'

/** What a container gets that says nothing, where nobody else in the namespace shows what is usual. */
const USUAL: Readonly<Record<string, string>> = { cpu: '100m', memory: '128Mi' }

/** A LimitRange that gives the demanded values, for containers that say nothing. */
export function defaultValues({ causes, facts, outlooks, pods }: Situation): readonly Remedy[] {
  const missing = causes.filter(({ type }) => type === 'missing-values')
  if (missing.length === 0 || pods === undefined) return []
  const demanded = missing.flatMap(({ by }) => demandedBy(by.name, outlooks, pods))
  const amounts = new Map<string, Quantity>()
  for (const { side, resource } of demanded.map(sideOf)) {
    amounts.set(`${side}.${resource}`, defaultAmount(side, resource, facts, outlooks, pods))
  }
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
  const own = missing.flatMap(({ containers }) => containers).filter(({ injected }) => !injected)
  const edit = own.length === 0 ? '' : `set them in ${[...new Set(own.map(({ name }) => name))].join(', ')}, or `
  return [
    {
      type: 'limit-range',
      text: `${edit}give every container of the namespace a default by a LimitRange`,
      manifest: range,
      needs: { verb: 'create', group: '', resource: 'limitranges', name },
    },
  ]
}

function requestsWithoutLimit(resource: string, { objects }: Facts, { object }: Priced): readonly Quantity[] {
  const unlimited = [object, ...(objects.get('pods') ?? [])]
    .flatMap(containersOf)
    .filter((one) => valueAt(one, 'resources', 'limits', resource) === undefined)
  return amountsIn(unlimited, 'requests', resource).map(({ amount }) => amount)
}

function demandedBy(quota: string, outlooks: readonly Outlook[], { object }: Priced): readonly string[] {
  const found = outlooks.find(({ budget }) => budget.ref.name === quota)
  return Object.keys(found?.budget.hard ?? {}).filter((name) => {
    const { side, resource } = sideOf(name)
    return (
      Object.hasOwn(USUAL, resource) &&
      containersOf(object).some((one) => valueAt(one, 'resources', side, resource) === undefined)
    )
  })
}

/** What is usual in the namespace, and no more than fits for each container that says nothing. */
function defaultAmount(
  side: Side,
  resource: string,
  facts: Facts,
  outlooks: readonly Outlook[],
  { object, missing, cost }: Priced,
): Quantity {
  const lacking = containersOf(object).filter((one) => valueAt(one, 'resources', side, resource) === undefined).length
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
