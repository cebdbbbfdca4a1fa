import { withUsed } from '../../../charges/budget.ts'
import { groupOf } from '../../../machinery/group-version.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import type { GroupResource } from '../../../machinery/status.ts'
import { enumerated } from '../../../machinery/text/enumerated.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { add, quantityOf, type ResourceList, subtractWithNonNegativeResult } from '../../../quantity/resource-list.ts'
import { LIMIT } from '../../budgets/custom-quota.ts'
import { scales } from '../autoscaler.ts'
import { excessesOf, type Outlook } from '../budget-room.ts'
import { titleOf } from '../budgets-of.ts'
import { isEnding } from '../demand.ts'
import type { Holder, ObjectId, Remedy } from '../explanation.ts'
import { chainOf, type Facts, idOf } from '../facts.ts'
import { costTogether } from '../measured.ts'
import { ownerText } from '../owner-text.ts'
import { resourceNamed } from '../resource-named.ts'
import { SCALED, workloadKind } from '../workload-kinds.ts'
import { combinations } from './combinations.ts'
import type { Situation } from './situation.ts'

/** What its owner deletes as a whole, and no data with it. Whatever has pods that can be fewer is scaled instead. */
const DELETED: ReadonlyMap<string, GroupResource> = new Map([
  ['Job', { group: 'batch', resource: 'jobs' }],
  ['Pod', { group: '', resource: 'pods' }],
])
/** So many holders are named. */
const MOST = 3
/** So many owners may be asked at once. */
const MOST_TOGETHER = 3

interface Held {
  readonly object: KubeObject
  readonly of: GroupResource
}

/** So many holders are looked at: each choice of three costs a look at all quotas. */
const MOST_GIVERS = 10

/**
 * Shrinks or deletes other objects. Names the fewest holders that can free enough in all full quotas. If there are
 * none, names those of each quota, the largest first. Only objects of the namespace are named, because others are not
 * read.
 */
export function freeRoom(situation: Situation): readonly Remedy[] {
  const { full } = situation
  const together = freed(full, situation)
  return together.length > 0 || full.length < 2 ? together : full.flatMap((one) => freed([one], situation))
}

/** One remedy for all of these quotas; none where nobody can give enough. */
function freed(full: readonly Outlook[], { facts, top, holders }: Situation): readonly Remedy[] {
  const byQuota = full.map((one) => ({ one, others: othersIn(one, holders, idOf(top)) }))
  const owners = new Map(inTurns(byQuota.map(({ others }) => others)).map(({ owner }) => [keyOf(owner), owner]))
  const byTop = heldByTop(facts)
  const givers = [...owners.values()]
    .flatMap((owner) => giverOf(owner, byTop.get(keyOf(owner)) ?? [], full, facts) ?? [])
    .slice(0, MOST_GIVERS)
  const isEnough = (frees: Freed): boolean =>
    full.every(({ budget, requested }, index) => {
      const emptier = withUsed(budget, subtractWithNonNegativeResult(budget.used, frees[index] ?? {}))
      // What is requested does not depend on what is used: many choices are tried, and nobody walks all demands for each.
      return excessesOf(emptier, requested).length === 0
    })
  const taken = fewestOf(givers, isEnough)
  if (taken === undefined) return []
  const named = byQuota
    .filter(({ others }) => others.length > 0)
    .map(({ one, others }) => {
      const byOwner = [...Map.groupBy(others, ({ owner }) => keyOf(owner)).values()]
      const texts = byOwner.slice(0, MOST).map((held) => holderText(held, facts.namespace))
      return `${texts.join(', ')} ${texts.length === 1 ? 'holds' : 'hold'} the most of ${titleOf(one.budget.ref)}`
    })
  return [{ ...commandsOf(taken, facts), text: `${textOfAll(taken)}; ${named.join(', ')}` }]
}

/** Who else holds what a quota is short of, the largest of each limit in turns. */
function othersIn({ budget, excesses }: Outlook, holders: readonly Holder[], top: ObjectId): readonly Holder[] {
  const { kind, name } = budget.ref
  const others = holders.filter(
    (one) => one.budget === name && one.budgetKind === kind && keyOf(one.owner) !== keyOf(top),
  )
  return inTurns(excesses.map((excess) => others.filter(({ resource }) => resource === excess.resource)))
}

/** The first of each list, then the second of each. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

const keyOf = ({ kind, namespace, name }: ObjectId): string => [kind, namespace, name].join('/')

/** An owner, with all that it holds of a quota. */
function holderText(held: readonly Holder[], namespace: string): string {
  const amounts = held.map(({ resource, amount }) => (resource === LIMIT ? amount : `${resource} ${amount}`))
  const [first] = held
  return first === undefined ? '' : `${ownerText(first.owner, namespace)} (${amounts.join(', ')})`
}

/** The objects that use a quota, by the object at the top of their chain of owners. */
const heldByTop = oncePerObject((facts: Facts): ReadonlyMap<string, readonly Held[]> => {
  const held = [...facts.objects].flatMap(([id, objects]) => {
    const of = resourceNamed(id)
    return objects.map((object) => ({ object, of }))
  })
  return Map.groupBy(held, ({ object }) => keyOf(idOf(chainOf(object, facts)[0] ?? object)))
})

/** What is free of each quota. */
type Freed = readonly ResourceList[]

/** An object that can give room: in parts, such as its pods, or as a whole. */
interface Giver {
  readonly owner: ObjectId
  /** How many parts it has. */
  readonly parts: number
  /** What is free at least once so many of them are gone. */
  readonly frees: (parts: number) => Freed
  readonly take: (parts: number) => Taking
}

interface Taking {
  readonly text: string
  /** A condition, where nothing else is taken. */
  readonly provided: string
  /** What kubectl is asked to do. */
  readonly words: string
  readonly needs: Remedy['needs']
}

function giverOf(owner: ObjectId, held: readonly Held[], full: readonly Outlook[], facts: Facts): Giver | undefined {
  const own = held.find(({ object }) => keyOf(idOf(object)) === keyOf(owner))
  // Another controller or an autoscaler would make again what is taken.
  if (own === undefined || controllerOf(own.object) !== undefined) return undefined
  if (facts.autoscalers.some((one) => scales(one, own.object))) return undefined
  const word = shellWord(`${owner.kind.toLowerCase()}/${owner.name}`)
  const deleted = DELETED.get(owner.kind)
  if (deleted !== undefined && deleted.group === groupOf(owner.apiVersion)) {
    const taking: Taking = {
      text: `delete ${owner.kind} ${owner.name}`,
      provided: 'if nobody needs it',
      words: `delete ${word}`,
      needs: { verb: 'delete', ...deleted, name: owner.name },
    }
    const whole = full.map((one) => held.map((each) => costOf(each, one, facts)).reduce<ResourceList>(add, {}))
    return { owner, parts: 1, frees: (parts) => (parts === 0 ? [] : whole), take: () => taking }
  }
  const kind = workloadKind(own.object)
  if (kind === undefined || !SCALED.has(kind.resource)) return undefined
  const pods = held.filter(({ object }) => object.kind === 'Pod' && !isEnding(object))
  const freed = full.map((one) => leastFreed(pods, one, facts))
  return {
    owner,
    parts: pods.length,
    frees: (parts) => freed.map((sums) => sums[parts] ?? {}),
    take: (parts) => ({
      text: `run ${pods.length - parts} instead of ${pods.length} pods of ${owner.kind} ${owner.name}`,
      provided: 'if these are enough',
      words: `scale ${word} --replicas=${pods.length - parts}`,
      needs: { verb: 'patch', group: kind.group, resource: `${kind.resource}/scale`, name: owner.name },
    }),
  }
}

/**
 * Returns the least amounts that are free after a number of pods is deleted. Controllers choose the pods, possibly
 * those that free the least.
 */
function leastFreed(pods: readonly Held[], full: Outlook, facts: Facts): readonly ResourceList[] {
  const costs = pods.map((one) => costOf(one, full, facts))
  const sums = full.excesses.map(({ resource }) => {
    const amounts = costs
      .map((cost) => quantityOf(cost, resource) ?? Quantity.zero)
      .toSorted((a, b) => a.cmp(b))
      .map((amount): ResourceList => ({ [resource]: amount }))
    const sum: ResourceList[] = [{}]
    for (const amount of amounts) sum.push(add(sum.at(-1) ?? {}, amount))
    return sum
  })
  return Array.from({ length: pods.length + 1 }, (_, count) =>
    sums.map((sum) => sum[count] ?? {}).reduce<ResourceList>(add, {}),
  )
}

/** The fewest givers that free enough together, with no part more than they have to; undefined where no few of them do. */
function fewestOf(givers: readonly Giver[], isEnough: (freed: Freed) => boolean): readonly Taking[] | undefined {
  const sum = (some: readonly Giver[], parts: readonly number[]): Freed => {
    const all = some.map(({ frees }, index) => frees(parts[index] ?? 0))
    const most = Math.max(0, ...all.map(({ length }) => length))
    return Array.from({ length: most }, (_, quota) => all.map((one) => one[quota] ?? {}).reduce<ResourceList>(add, {}))
  }
  for (let size = 1; size <= MOST_TOGETHER; size++)
    for (const some of combinations(givers, size)) {
      const parts = some.map((one) => one.parts)
      if (!isEnough(sum(some, parts))) continue
      // The smallest gives as little as the others leave it to give.
      for (let index = some.length - 1; index >= 0; index--) {
        let [enough, few] = [parts[index] ?? 0, -1]
        while (enough - few > 1) {
          const count = Math.floor((enough + few) / 2)
          if (isEnough(sum(some, parts.with(index, count)))) enough = count
          else few = count
        }
        parts[index] = enough
      }
      return some.flatMap(({ take }, index) => (parts[index] === 0 ? [] : [take(parts[index] ?? 0)]))
    }
  return undefined
}

function textOfAll(taken: readonly Taking[]): string {
  const texts = taken.map(({ text }) => text)
  const [only, second] = taken
  if (only === undefined || second !== undefined) return `${enumerated(texts)}, if their owners can do with that`
  return `${only.text}, ${only.provided}`
}

function commandsOf(taken: readonly Taking[], { kubectl }: Facts): Omit<Remedy, 'text'> {
  const [needs, ...alsoNeeds] = taken.map((one) => one.needs)
  return {
    type: 'free',
    command: taken.map(({ words }) => `${kubectl} ${words}`).join(' && '),
    needs: needs ?? { verb: '', group: '', resource: '', name: '' },
    ...(alsoNeeds.length === 0 ? {} : { alsoNeeds }),
  }
}

const costOf = ({ object, of }: Held, { budget }: Outlook, facts: Facts): ResourceList =>
  costTogether(budget, [object], of, facts)
