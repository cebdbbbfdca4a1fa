import { withUsed } from '../../../charges/budget.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/evaluator-table.ts'
import { groupOf } from '../../../machinery/group-version.ts'
import { compareText } from '../../../machinery/text/compare-text.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import type { GroupResource } from '../../../machinery/status.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { add, quantityOf, type ResourceList, subtractWithNonNegativeResult } from '../../../quantity/resource-list.ts'
import { LIMIT } from '../../budgets/custom-quota-budget.ts'
import { scales } from '../autoscaler.ts'
import { chargeOf, type Outlook, outlook } from '../budget-room.ts'
import { titleOf } from '../budgets-of.ts'
import { isEnding } from '../demand.ts'
import type { Holder, ObjectId, Remedy } from '../explanation.ts'
import { chainOf, type Facts, idOf } from '../facts.ts'
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

interface Held {
  readonly object: KubeObject
  readonly of: GroupResource
}

/** Others take less: for each quota without room the largest holder that can give enough, with the command that takes it. */
export function freeRoom(situation: Situation): readonly Remedy[] {
  const { outlooks, facts, top, holders } = situation
  const full = outlooks.filter(({ excesses }) => excesses.length > 0)
  if (full.length === 0) return []
  const byTop = heldByTop(facts)
  return full.flatMap((one): readonly Remedy[] => {
    const [first] = one.excesses
    const others = holders.filter(
      ({ budget, resource, owner }) =>
        budget === one.budget.ref.name && resource === first?.resource && keyOf(owner) !== keyOf(idOf(top)),
    )
    const taken = others
      .values()
      .flatMap(({ owner }) => takenFrom(owner, byTop.get(keyOf(owner)) ?? [], one, situation))
    const [remedy] = taken.take(1)
    if (remedy === undefined) return []
    const named = others.slice(0, MOST).map(holderText).join(', ')
    return [
      {
        ...remedy,
        text: `${remedy.text}; ${named} ${others.length === 1 ? 'holds' : 'hold'} the most of ${titleOf(one.budget.ref)}`,
      },
    ]
  })
}

const keyOf = ({ kind, namespace, name }: ObjectId): string => [kind, namespace, name].join('/')

const holderText = ({ owner, resource, amount }: Holder): string =>
  `${owner.kind} ${owner.name} (${resource === LIMIT ? '' : `${resource} `}${amount})`

/** What takes room, by the object at the top of its chain. */
function heldByTop(facts: Facts): ReadonlyMap<string, readonly Held[]> {
  const held = [...facts.objects].flatMap(([id, objects]) => {
    const of = resourceNamed(id)
    return objects.map((object) => ({ object, of }))
  })
  return Map.groupBy(held, ({ object }) => keyOf(idOf(chainOf(object, facts)[0] ?? object)))
}

function* takenFrom(
  owner: ObjectId,
  held: readonly Held[],
  full: Outlook,
  { facts, demands }: Situation,
): Generator<Remedy> {
  const own = held.find(({ object }) => keyOf(idOf(object)) === keyOf(owner))
  // Another controller or an autoscaler would make again what is taken.
  if (own === undefined || controllerOf(own.object) !== undefined) return
  if (facts.autoscalers.some((one) => scales(one, own.object))) return
  const { kubectl, now } = facts
  const fitsWithoutThem = (gone: readonly Held[]): boolean => {
    const { budget } = full
    const freed = gone.map((one) => costOf(one, full, now)).reduce<ResourceList>(add, {})
    const emptier = withUsed(budget, subtractWithNonNegativeResult(budget.used, freed))
    return outlook(emptier, demands).excesses.length === 0
  }
  const word = shellWord(`${owner.kind.toLowerCase()}/${owner.name}`)
  const deleted = DELETED.get(owner.kind)
  if (deleted !== undefined && deleted.group === groupOf(owner.apiVersion)) {
    if (!fitsWithoutThem(held)) return
    yield {
      type: 'free',
      text: `delete ${owner.kind} ${owner.name}, if nobody needs it`,
      command: `${kubectl} delete ${word}`,
      needs: { verb: 'delete', ...deleted, name: owner.name },
    }
    return
  }
  const kind = workloadKind(own.object)
  if (kind === undefined || !SCALED.has(kind.resource)) return
  // Nobody says which pods go: those that free the least may.
  const [name = ''] = full.excesses.map(({ resource }) => resource)
  const pods = held
    .filter(({ object }) => object.kind === 'Pod' && !isEnding(object))
    .map((one) => ({ ...one, frees: quantityOf(costOf(one, full, now), name) ?? Quantity.zero }))
    .toSorted((a, b) => a.frees.cmp(b.frees) || compareText(a.object.metadata.name ?? '', b.object.metadata.name ?? ''))
  if (!fitsWithoutThem(pods)) return
  let [enough, few] = [pods.length, 0]
  while (enough - few > 1) {
    const some = Math.floor((enough + few) / 2)
    if (fitsWithoutThem(pods.slice(0, some))) enough = some
    else few = some
  }
  const left = pods.length - enough
  yield {
    type: 'free',
    text: `run ${left} instead of ${pods.length} pods of ${owner.kind} ${owner.name}, if these are enough`,
    command: `${kubectl} scale ${word} --replicas=${left}`,
    needs: { verb: 'patch', group: kind.group, resource: `${kind.resource}/scale`, name: owner.name },
  }
}

function costOf({ object, of }: Held, { budget }: Outlook, now: number): ResourceList {
  const cost = QUOTA_EVALUATORS.of(of)?.usage(object, { now }) ?? {}
  return chargeOf(budget, { object, demand: { resource: of }, cost }) ?? {}
}
