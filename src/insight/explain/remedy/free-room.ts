import { withUsed } from '../../../charges/budget.ts'
import { groupOf } from '../../../machinery/group-version.ts'
import { compareText } from '../../../machinery/text/compare-text.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import type { GroupResource } from '../../../machinery/status.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { add, quantityOf, type ResourceList, subtractWithNonNegativeResult } from '../../../quantity/resource-list.ts'
import { LIMIT } from '../../budgets/custom-quota-budget.ts'
import { scales } from '../autoscaler.ts'
import { type Outlook, outlook } from '../budget-room.ts'
import { titleOf } from '../budgets-of.ts'
import { isEnding } from '../demand.ts'
import type { Holder, ObjectId, Remedy } from '../explanation.ts'
import { chainOf, type Facts, idOf } from '../facts.ts'
import { costTogether } from '../measured.ts'
import { resourceNamed } from '../resource-named.ts'
import { SCALED, workloadKind } from '../workload-kinds.ts'
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

/**
 * Others take less: for each quota without room the fewest holders that can give enough, the largest first, with the commands that take it. Only
 * objects of the namespace are taken from, since of others nothing is read.
 */
export function freeRoom(situation: Situation): readonly Remedy[] {
  const { full, facts, top, holders, demands } = situation
  if (full.length === 0) return []
  const byTop = heldByTop(facts)
  return full.flatMap((one): readonly Remedy[] => {
    const [first] = one.excesses
    const others = holders.filter(
      ({ budget, resource, owner }) =>
        budget === one.budget.ref.name && resource === first?.resource && keyOf(owner) !== keyOf(idOf(top)),
    )
    const givers = others.flatMap(({ owner }) => giverOf(owner, byTop.get(keyOf(owner)) ?? [], one, facts) ?? [])
    const isEnough = (freed: ResourceList): boolean => {
      const emptier = withUsed(one.budget, subtractWithNonNegativeResult(one.budget.used, freed))
      return outlook(emptier, demands).excesses.length === 0
    }
    const taken = fewestOf(givers, isEnough)
    if (taken === undefined) return []
    const named = others.slice(0, MOST).map(holderText).join(', ')
    return [
      {
        ...together(taken, facts),
        text: `${textOfAll(taken)}; ${named} ${others.length === 1 ? 'holds' : 'hold'} the most of ${titleOf(one.budget.ref)}`,
      },
    ]
  })
}

const keyOf = ({ kind, namespace, name }: ObjectId): string => [kind, namespace, name].join('/')

const holderText = ({ owner, resource, amount }: Holder): string =>
  `${owner.kind} ${owner.name} (${resource === LIMIT ? '' : `${resource} `}${amount})`

/** What takes room, by the object at the top of its chain. */
const heldByTop = oncePerObject((facts: Facts): ReadonlyMap<string, readonly Held[]> => {
  const held = [...facts.objects].flatMap(([id, objects]) => {
    const of = resourceNamed(id)
    return objects.map((object) => ({ object, of }))
  })
  return Map.groupBy(held, ({ object }) => keyOf(idOf(chainOf(object, facts)[0] ?? object)))
})

/** An object that can give room: in parts, such as its pods, or as a whole. */
interface Giver {
  readonly owner: ObjectId
  /** What is free once so many of its parts are gone; the first is for none. */
  readonly frees: readonly ResourceList[]
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

function giverOf(owner: ObjectId, held: readonly Held[], full: Outlook, facts: Facts): Giver | undefined {
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
    return {
      owner,
      frees: [{}, held.map((one) => costOf(one, full, facts)).reduce<ResourceList>(add, {})],
      take: () => taking,
    }
  }
  const kind = workloadKind(own.object)
  if (kind === undefined || !SCALED.has(kind.resource)) return undefined
  // Nobody says which pods go: those that free the least may.
  const [name = ''] = full.excesses.map(({ resource }) => resource)
  const pods = held
    .filter(({ object }) => object.kind === 'Pod' && !isEnding(object))
    .map((one) => ({ name: one.object.metadata.name ?? '', cost: costOf(one, full, facts) }))
    .map((one) => ({ ...one, frees: quantityOf(one.cost, name) ?? Quantity.zero }))
    .toSorted((a, b) => a.frees.cmp(b.frees) || compareText(a.name, b.name))
  const frees: ResourceList[] = [{}]
  for (const { cost } of pods) frees.push(add(frees.at(-1) ?? {}, cost))
  return {
    owner,
    frees,
    take: (parts) => ({
      text: `run ${pods.length - parts} instead of ${pods.length} pods of ${owner.kind} ${owner.name}`,
      provided: 'if these are enough',
      words: `scale ${word} --replicas=${pods.length - parts}`,
      needs: { verb: 'patch', group: kind.group, resource: `${kind.resource}/scale`, name: owner.name },
    }),
  }
}

/** The fewest givers that free enough together, with no part more than they have to; undefined where no few of them do. */
function fewestOf(givers: readonly Giver[], isEnough: (freed: ResourceList) => boolean): readonly Taking[] | undefined {
  const sum = (some: readonly Giver[], parts: readonly number[]): ResourceList =>
    some.map(({ frees }, index) => frees[parts[index] ?? 0] ?? {}).reduce<ResourceList>(add, {})
  for (let size = 1; size <= MOST_TOGETHER; size++)
    for (const some of combinations(givers, size)) {
      const parts = some.map(({ frees }) => frees.length - 1)
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
      return some.map(({ take }, index) => take(parts[index] ?? 0))
    }
  return undefined
}

/** All choices of so many, in their order. */
function* combinations<T>(of: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield []
  else
    for (const [index, one] of of.entries())
      if (index >= from) for (const rest of combinations(of, size - 1, index + 1)) yield [one, ...rest]
}

function textOfAll(taken: readonly Taking[]): string {
  const texts = taken.map(({ text }) => text)
  const [only, second] = taken
  if (only === undefined || second !== undefined)
    return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}, if their owners can do with that`
  return `${only.text}, ${only.provided}`
}

function together(taken: readonly Taking[], { kubectl }: Facts): Omit<Remedy, 'text'> {
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
