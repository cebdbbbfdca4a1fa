import type { PersistentVolumeClaim, Pod } from '../../../builtin/core-v1.ts'
import { podLimits, podRequests } from '../../../charges/evaluators/pod-resources.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import { rangeViolations } from '../../../charges/limit-range/range-violations.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import { objectOf, objectsOf, specOf, textOf, valueAt } from '../../../machinery/read.ts'
import { enumerated } from '../../../machinery/text/enumerated.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { FINEST, outlook } from '../budget-room.ts'
import { titleOf } from '../budgets-of.ts'
import { amountsText, type ContainerRoom, largestWithin, withAmount, withAmounts } from '../container-room.ts'
import type { Priced } from '../costs.ts'
import type { Remedy } from '../explanation.ts'
import { amountsIn, containersOf, type NextPod } from '../next-pod.ts'
import { claimTemplates } from '../workload-kinds.ts'
import { type Amounts, boundsOf, type Side, within } from './range-bounds.ts'
import { type LeftOut, rightToPatch, type Situation } from './situation.ts'
import { editCommand, isHeldBack, templatePatch } from './template-edit.ts'

const CONTAINER_SIDES = ['limits', 'requests'] as const
/** Nobody edits more containers by hand. */
const MOST_CONTAINERS = 100
/** So many amounts are looked at: each resource that LimitRanges name, in each container. */
const MOST_LOOKED_AT = 1_000
const MENDED: readonly Side[] = ['raise the request', 'lower the limit']

/** The owner asks for amounts that the LimitRanges allow. */
export function withinRanges(situation: Situation): readonly (Remedy | LeftOut)[] {
  if (!situation.causes.some(({ type }) => type === 'limit-range')) return []
  return [...podsWithin(situation), ...claimsWithin(situation)]
}

interface Allowed {
  readonly made: Priced
  readonly rooms: readonly ContainerRoom[]
  /** The quotas that have no room for them. */
  readonly full: readonly string[]
}

/** The pods with amounts that the LimitRanges allow; undefined where their owner need not or cannot change them, or where they have too many. */
export const allowedPods = oncePerObject((situation: Situation): Allowed | undefined => {
  const { pods, facts, outlooks } = situation
  const { limitRanges, now } = facts
  if (pods?.parts === undefined || !isMendable(situation) || isTooLarge(pods, limitRanges)) return undefined
  const { parts } = pods
  const choices = MENDED.flatMap((side) => {
    const pod = podWithin(pods.object, limitRanges, parts.injected, side)
    if (pod === undefined) return []
    const made = { ...pods, object: pod, cost: podEvaluator.usage(pod, { now }) }
    const full = outlooks.filter(({ budget }) => outlook(budget, [made]).excesses.length > 0)
    return [{ made, rooms: changesIn(pods.object, pod, parts), full: full.map(({ budget }) => titleOf(budget.ref)) }]
  })
  // What fits into the quotas comes first.
  const [best] = choices.toSorted((a, b) => a.full.length - b.full.length)
  // Its owner does not write what somebody injects.
  return best?.rooms.some(({ container }) => parts.injected.has(container)) === true ? undefined : best
})

/** Do LimitRanges refuse pods whose owner may change them? */
const isMendable = ({ pods, facts: { limitRanges }, top, causes }: Situation): boolean =>
  causes.some(({ type }) => type === 'limit-range') &&
  pods !== undefined &&
  pods.missing > 0 &&
  !isHeldBack(top) &&
  !isWithin(pods.object, limitRanges, 'pods')

function isTooLarge({ object }: Priced, limitRanges: Situation['facts']['limitRanges']): boolean {
  const count = containersOf(object).length
  const names = boundsOf(limitRanges, 'Container').size + boundsOf(limitRanges, 'Pod').size
  return count > MOST_CONTAINERS || count * names > MOST_LOOKED_AT
}

function podsWithin(situation: Situation): readonly (Remedy | LeftOut)[] {
  const { pods, facts, top } = situation
  if (pods?.parts === undefined || !isMendable(situation)) return []
  if (isTooLarge(pods, facts.limitRanges))
    return [{ leftOut: `the amounts for ${containersOf(pods.object).length} containers that the LimitRanges allow` }]
  const best = allowedPods(situation)
  if (best === undefined) return []
  const lack =
    best.full.length === 0
      ? ''
      : `; ${enumerated(best.full)} ${best.full.length === 1 ? 'has' : 'have'} no room for that yet`
  return [
    {
      type: 'within',
      text: `set ${amountsText(best.rooms)}, which the LimitRanges allow${lack}`,
      ...editCommand(situation, templatePatch(top, best.rooms)),
      needs: rightToPatch(top),
    },
  ]
}

const isWithin = (object: KubeObject, ranges: Situation['facts']['limitRanges'], bucket: string): boolean =>
  ranges.every((range) => rangeViolations(range, bucket, object).next().done === true)

/** The pod with amounts that all LimitRanges allow; undefined where none was found. */
function podWithin(
  pod: KubeObject,
  ranges: Situation['facts']['limitRanges'],
  injected: ReadonlySet<string>,
  mended: Side,
): KubeObject | undefined {
  const [each, whole] = [boundsOf(ranges, 'Container'), boundsOf(ranges, 'Pod')]
  const containers = containersOf(pod)
  const rooms: ContainerRoom[] = []
  for (const [resource, bounds] of each)
    for (const container of containers) {
      const wanted = within(askedBy(container, resource), bounds, resource, mended)
      if (wanted === undefined) return undefined
      rooms.push(...roomsOf(textOf(container['name']), resource, wanted))
    }
  let changed = withAmounts(pod, rooms)
  for (const [resource, bounds] of whole) {
    const asked: Amounts = { request: podRequests(changed).get(resource), limit: podLimits(changed).get(resource) }
    const wanted = within(asked, bounds, resource, mended)
    const next = wanted && withSums(changed, resource, asked, wanted, injected)
    if (next === undefined) return undefined
    changed = next
  }
  return isWithin(changed, ranges, 'pods') ? changed : undefined
}

const askedBy = (container: KubeObject | object, resource: string): Amounts => {
  const amount = (side: string): Quantity | undefined => {
    const value = valueAt(objectOf(container), 'resources', side, resource)
    return value === undefined ? undefined : Quantity.fromJson(value)
  }
  return { request: amount('requests'), limit: amount('limits') }
}

const roomsOf = (container: string, resource: string, { request, limit }: Amounts): readonly ContainerRoom[] => [
  ...(limit === undefined ? [] : [{ container, side: 'limits' as const, resource, amount: limit }]),
  ...(request === undefined ? [] : [{ container, side: 'requests' as const, resource, amount: request }]),
]

/** The container with the largest amount takes what the pod as a whole has too much or too little. Where none says an amount, all share it. */
function withSums(
  pod: KubeObject,
  resource: string,
  asked: Amounts,
  wanted: Amounts,
  injected: ReadonlySet<string>,
): KubeObject | undefined {
  const own = objectsOf(specOf<Pod>(pod).containers).filter(({ name }) => !injected.has(textOf(name)))
  let changed = pod
  for (const side of CONTAINER_SIDES) {
    const [before, after] = side === 'limits' ? [asked.limit, wanted.limit] : [asked.request, wanted.request]
    if (after === undefined || before?.equals(after) === true) continue
    const [largest] = amountsIn(own, side, resource).toSorted((a, b) => b.amount.cmp(a.amount))
    if (largest === undefined) {
      // Where no container says anything, all say alike.
      const each = largestWithin(after.scaledValue(FINEST) / BigInt(Math.max(1, own.length)), resource)
      if (own.length === 0 || each.sign() <= 0) return undefined
      changed = withAmounts(
        changed,
        own.map(({ name }) => ({ container: textOf(name), side, resource, amount: each })),
      )
      continue
    }
    const { container } = largest
    const amount = largest.amount.add(after).sub(before ?? Quantity.zero)
    if (amount.sign() <= 0) return undefined
    changed = withAmount(changed, { container, side, resource, amount })
  }
  // No request is above its limit.
  const lowered = containersOf(changed).flatMap((container) => {
    const { request, limit } = askedBy(container, resource)
    const isAbove = request !== undefined && limit !== undefined && request.cmp(limit) > 0
    return isAbove ? roomsOf(textOf(container['name']), resource, { request: limit, limit }) : []
  })
  return withAmounts(changed, lowered)
}

/** What a template has to say, container by container. A request that it leaves out would follow a limit that it says. */
function changesIn(before: KubeObject, after: KubeObject, { sourceOf }: NextPod): readonly ContainerRoom[] {
  const byName = Map.groupBy(containersOf(before), (one) => textOf(one['name']))
  return containersOf(after).flatMap((container) => {
    const name = textOf(container['name'])
    const old = byName.get(name) ?? []
    const changed = new Set<string>()
    return CONTAINER_SIDES.flatMap((side) =>
      Object.keys(objectOf(valueAt(container, 'resources', side))).flatMap((resource) => {
        const [now] = amountsIn([container], side, resource)
        const [then] = amountsIn(old, side, resource)
        const isSame = now !== undefined && then?.amount.equals(now.amount) === true
        const isLeftOut = side === 'requests' && changed.has(resource) && sourceOf(name, side, resource) !== 'spec'
        if (now === undefined || (isSame && !isLeftOut)) return []
        changed.add(resource)
        return [{ container: name, side, resource, amount: now.amount }]
      }),
    )
  })
}

/** What a StatefulSet makes by its templates of claims nobody can edit. */
const FIXED =
  'its volumeClaimTemplates cannot be changed: delete it with --cascade=orphan, and create it again with them'

function claimsWithin({ demands, facts, top }: Situation): readonly Remedy[] {
  const bounds = boundsOf(facts.limitRanges, 'PersistentVolumeClaim')
  return demands.flatMap((one): readonly Remedy[] => {
    const { object, missing } = one
    const isRefused = isClaim(one) && missing > 0 && !isWithin(object, facts.limitRanges, 'persistentvolumeclaims')
    if (!isRefused) return []
    const requests = objectOf(objectOf(specOf<PersistentVolumeClaim>(object).resources).requests)
    const wanted = [...bounds].flatMap(([resource, { least, most }]) => {
      const { [resource]: value } = requests
      const request = value === undefined ? least : Quantity.fromJson(value)
      const amount = within(
        { request, limit: undefined },
        { ...(least && { least }), ...(most && { most }) },
        resource,
        'raise the request',
      )?.request
      return amount === undefined || (request !== undefined && value !== undefined && amount.equals(request))
        ? []
        : [`${resource} ${amount.toString()}`]
    })
    if (wanted.length === 0) return []
    const ofSet = claimTemplates(top).length > 0
    return [
      {
        type: 'within',
        text: `ask for ${wanted.join(', ')} in ${object.metadata.name ?? object.metadata.generateName ?? 'the claim'}, which the LimitRanges allow${ofSet ? `; ${FIXED}` : ''}`,
        needs: ofSet
          ? { ...rightToPatch(top), verb: 'delete' }
          : { verb: 'create', group: '', resource: 'persistentvolumeclaims', name: '' },
      },
    ]
  })
}

const isClaim = ({ demand: { resource } }: Priced): boolean =>
  resource.group === '' && resource.resource === 'persistentvolumeclaims'
