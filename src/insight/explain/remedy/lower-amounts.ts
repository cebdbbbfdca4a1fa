import type { Budget } from '../../../charges/budget.ts'
import { rangeViolations } from '../../../charges/limit-range/range-violations.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import type { Deployment } from '../../../builtin/apps-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { numberOf, objectOf, specOf, textOf, valueAt } from '../../../machinery/read.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { outlook, type Outlook } from '../budget-room.ts'
import { containerRooms, type ContainerRoom, leastRooms, roomsText, withAmount } from '../container-room.ts'
import type { Priced } from '../costs.ts'
import { awaitedPods, family, livePods } from '../demand.ts'
import type { Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { isTooLargeToMeasure, measuredRoom, OVERCOMMITTED, smallerLeftOut } from '../measured-room.ts'
import { containersOf, type NextPod, type Side } from '../next-pod.ts'
import { isEnoughForContainers, podLevelAmount, WHOLE_POD } from '../pod-level.ts'
import { fitsWithout, without } from '../without-pods.ts'
import { workloadKind } from '../workload-kinds.ts'
import { type LeftOut, rightToPatch, type Situation } from './situation.ts'
import { editCommand, isHeldBack, templatePatch } from './template-edit.ts'

/**
 * Lowers the amounts of a container to what fits. One remedy keeps the rollout strategy of the workload. Another one
 * lets a Deployment delete pods first.
 */
export function lowerAmounts(situation: Situation): readonly (Remedy | LeftOut)[] {
  const remedies = lowered(situation)
  return remedies.length > 0 ? remedies : untried(situation)
}

/** Where amounts are found by trial, few are tried. */
function untried({ outlooks, pods, top }: Situation): readonly LeftOut[] {
  if (pods === undefined || pods.missing === 0 || isHeldBack(top)) return []
  const limits = outlooks.flatMap(({ budget, excesses }) => (isOwnMeasure(budget) ? excesses : [])).length
  if (limits > 0 && isTooLargeToMeasure(pods.object)) return [{ leftOut: smallerLeftOut(pods.object) }]
  return limits > MOST_MEASURED ? [{ leftOut: `smaller amounts for ${limits} limits with measures of their own` }] : []
}

function lowered(situation: Situation): readonly Remedy[] {
  const { outlooks, pods, top, facts, surge } = situation
  if (pods === undefined || pods.missing === 0) return []
  const kind = workloadKind(top)?.resource ?? ''
  const isPinned = isHeldBack(top)
  const offer = (rooms: readonly ContainerRoom[], then: string, patch = templatePatch(top, rooms)): Remedy => ({
    type: 'lower',
    text: `ask for less: ${roomsText(rooms)}; then ${then}`,
    ...editCommand(situation, patch),
    needs: rightToPatch(top),
  })
  const budgets = outlooks.map(({ budget }) => budget)
  const { replacement } = pods.demand
  const missing = replacement === undefined ? allFit(pods.missing) : allOf(pods.missing)
  const old = family(pods.demand.maker ?? top, facts).flatMap((one) => livePods(one, facts))
  const least = (gone: number, made: Priced): readonly ContainerRoom[] | undefined =>
    roomsFor(
      made,
      budgets.map((budget) => without(budget, old.slice(0, gone), pods, facts)),
      facts,
    )
  if (kind === 'statefulsets') return isPinned ? [] : ofSet(situation, pods, offer)
  if (surge === undefined) {
    // A Deployment that does not roll deletes all pods first, and then makes all of them.
    const replicas = kind === 'deployments' ? (numberOf(specOf<Deployment>(top).replicas) ?? 1) : replacement?.replicas
    const rooms =
      replicas === undefined ? roomsFor(pods, budgets, facts) : least(old.length, { ...pods, missing: replicas })
    const then = replicas !== undefined && replicas > 1 ? `all ${replicas} pods fit` : missing
    return rooms === undefined || rooms.length === 0 || isPinned ? [] : [offer(rooms, then)]
  }
  const replaced = least(old.length, { ...pods, missing: surge.replicas })
  if (replaced === undefined) return []
  // So many pods may be deleted at once, or so many have to be made before the first is.
  const spare = surge.live - (surge.replicas - surge.unavailable)
  const first =
    spare > 0
      ? least(spare, { ...pods, missing: 1 })
      : least(0, { ...pods, missing: Math.min(1 - spare, surge.replicas) })
  // The last new pod is made beside an old one where none may be missing.
  const isLastBeside = replacement !== undefined && surge.unavailable === 0
  const last = isLastBeside ? least(old.length - 1, { ...pods, missing: surge.replicas }) : []
  const beside = first === undefined || last === undefined ? undefined : leastRooms([...first, ...last, ...replaced])
  const remedies = beside === undefined || beside.length === 0 ? [] : [offer(beside, missing)]
  if (replaced.length === 0 || (beside !== undefined && roomsText(beside) === roomsText(replaced)) || old.length === 0)
    return remedies
  const each = { ...pods, object: replaced.reduce<KubeObject>(withAmount, pods.object) }
  const gone = deletedFirst(old, each, outlooks, facts)
  const maxUnavailable = Math.min(surge.replicas, surge.replicas - surge.live + gone)
  const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable } }
  const patch = { spec: { ...objectOf(templatePatch(top, replaced)['spec']), strategy } }
  const then = `all ${surge.replicas} pods fit once pods are deleted before others are made (maxSurge 0, maxUnavailable ${maxUnavailable})`
  return [...remedies, offer(replaced, then, patch)]
}

/** A StatefulSet makes the pods that are missing by its new template, and waits for those before them to be ready unless it makes all at once. */
function ofSet(
  { outlooks, demands, top, facts }: Situation,
  pods: Priced,
  offer: (rooms: readonly ContainerRoom[], then: string) => Remedy,
): readonly Remedy[] {
  // A quota that has no room for the claims of the pods, too, stays in the way.
  const others = demands.filter((one) => one !== pods)
  const isShort = ({ budget }: Outlook, of: readonly Priced[]): boolean => outlook(budget, of).excesses.length > 0
  if (outlooks.some((one) => isShort(one, [pods]) && isShort(one, others))) return []
  const live = livePods(top, facts)
  const unready = awaitedPods(top, facts)
  const { replacement } = pods.demand
  // A rollout deletes the old pods itself.
  const choices = replacement !== undefined ? [replacement.old] : live.length === 0 ? [[]] : [unready, live]
  for (const gone of choices) {
    const missing = replacement?.replicas ?? pods.missing + gone.length
    const budgets = outlooks.map(({ budget }) => without(budget, gone, pods, facts))
    const rooms = roomsFor({ ...pods, missing }, budgets, facts)
    if (rooms === undefined || rooms.length === 0) continue
    const lower = offer(rooms, gone.length > 0 ? allOf(missing) : allFit(missing))
    return [
      gone.length === 0 || replacement !== undefined
        ? lower
        : deleting(gone, gone === unready ? ', which is not ready' : '', lower, facts),
    ]
  }
  return []
}

/** The remedy, and pods are deleted beside it. */
function deleting(gone: readonly KubeObject[], why: string, lower: Remedy, { kubectl }: Facts): Remedy {
  const names = gone.map(({ metadata }) => metadata.name ?? '')
  const [only = '', second] = names
  const said = second === undefined ? `pod ${only} is deleted${why}` : `its ${names.length} pods are deleted`
  const words = names.map((name) => shellWord(`pod/${name}`)).join(' ')
  return {
    ...lower,
    text: `${lower.text} once ${said}`,
    ...(lower.command === undefined ? {} : { command: `${lower.command} && ${kubectl} delete ${words}` }),
    alsoNeeds: names.map((name) => ({ verb: 'delete', group: '', resource: 'pods', name })),
  }
}

const allOf = (pods: number): string => (pods === 1 ? 'the pod fits' : `all ${pods} pods fit`)
const allFit = (missing: number): string => (missing === 1 ? 'the missing pod fits' : `all ${missing} missing pods fit`)

/** How many of the pods that run have to go until the next one fits. */
function deletedFirst(old: readonly KubeObject[], next: Priced, outlooks: readonly Outlook[], facts: Facts): number {
  const usage = podEvaluator.usage(next.object, { now: facts.now })
  const one = { ...next, cost: usage }
  // Whatever fits once some are gone fits once more are.
  let [few, enough] = [0, Math.max(1, old.length)]
  while (enough - few > 1) {
    const gone = Math.floor((enough + few) / 2)
    if (fitsWithout(old.slice(0, gone), one, outlooks, facts)) enough = gone
    else few = gone
  }
  return enough
}

/**
 * Returns the amounts with which the pods fit; none if they fit unchanged. Undefined if no amounts fit, or if the pod
 * would be refused for another reason.
 */
function roomsFor(
  pods: Priced,
  budgets: readonly Budget[],
  { limitRanges, now }: Facts,
): readonly ContainerRoom[] | undefined {
  const exceeded = budgets.flatMap((budget) => outlook(budget, [pods]).excesses.map((excess) => ({ budget, excess })))
  if (exceeded.filter(({ budget }) => isOwnMeasure(budget)).length > MOST_MEASURED) return undefined
  const rooms = exceeded.map(({ budget, excess }) =>
    isOwnMeasure(budget)
      ? measuredRooms(budget, excess.resource, pods, now)
      : containerRooms(budget, excess, pods, now),
  )
  if (rooms.some((room) => room === undefined)) return undefined
  const lowest = leastRooms(rooms.flatMap((room) => room ?? []))
  const least = [...lowest, ...lowest.flatMap((room) => otherSide(room, lowest, pods))]
  const changed = least.reduce<KubeObject>(withAmount, pods.object)
  const isRefused = limitRanges.some((range) => rangeViolations(range, 'pods', changed).next().done !== true)
  // What one budget with a measure of its own asks for may cost another one more.
  const isDearer = budgets.some(
    (budget) => isOwnMeasure(budget) && outlook(budget, [{ ...pods, object: changed }]).excesses.length > 0,
  )
  const isTooLittle = least.some(
    ({ container, resource }) => container === WHOLE_POD && !isEnoughForContainers(changed, resource),
  )
  return isRefused || isDearer || isTooLittle ? undefined : least
}

/** Of so many exceeded limits with a measure of their own amounts are found by trial. */
const MOST_MEASURED = 5

/** Does a budget measure objects by fields that its owner names? */
const isOwnMeasure = ({ rule }: Budget): boolean => rule.evaluators !== QUOTA_EVALUATORS

function measuredRooms(budget: Budget, limit: string, pods: Priced, now: number): readonly ContainerRoom[] | undefined {
  if (pods.parts === undefined) return undefined
  const room = measuredRoom(
    budget,
    limit,
    {
      pod: pods.object,
      injected: pods.parts.injected,
      sides: ['requests', 'limits'],
      demandsWith: (object) => [{ ...pods, object }],
    },
    now,
  )
  return room && [room]
}

/**
 * A limit that is lowered takes the request of its container down with it, which may not be above it. Huge pages and extended resources have one
 * amount on both sides.
 */
function otherSide(room: ContainerRoom, all: readonly ContainerRoom[], { parts }: Priced): readonly ContainerRoom[] {
  const { container, side, resource, amount } = room
  const other = side === 'limits' ? 'requests' : 'limits'
  if (parts === undefined) return []
  if (all.some((one) => one.side === other && one.container === container && one.resource === resource)) return []
  const value =
    container === WHOLE_POD ? podLevelAmount(parts.pod, other, resource) : said(parts, container, other, resource)
  if (value === undefined) return []
  const isBound = OVERCOMMITTED.has(resource) ? side === 'limits' && value.cmp(amount) > 0 : true
  return isBound ? [{ ...room, side: other }] : []
}

/** What a container says itself: a request that follows from its limit goes down with it. */
function said(parts: NextPod, container: string, side: Side, resource: string): Quantity | undefined {
  if (parts.sourceOf(container, side, resource) === 'limits') return undefined
  const found = containersOf(parts.pod).find(({ name }) => textOf(name) === container)
  const value = valueAt(found, 'resources', side, resource)
  return value === undefined ? undefined : Quantity.fromJson(value)
}
