import { Violation } from './model-checks.ts'
import { IDLE, withRequest } from './model-state.ts'
import { costBy } from './model-view.ts'
import type { ModelState, Operation, RequestState, World } from './model-world.ts'

/** The states of an object that the API server may start an update from. */
export function statesRead(
  { objects, events }: ModelState,
  name: string,
  { staleReads = false }: World,
): readonly Pick<RequestState, 'uid' | 'base' | 'oldCosts'>[] {
  const object = objects[name]
  if (object === undefined) return []
  const known = events.filter(({ uid }) => uid === object.uid)
  return known.slice(staleReads ? -2 : -1).map(({ uid, version, costs = [] }) => ({
    uid,
    base: String(version),
    oldCosts: costs,
  }))
}

/** Stores an allowed request where it still can be. An update that cannot begins anew, as often as the world retries. */
export function store(state: ModelState, index: number, world: World): ModelState {
  const operation = world.operations[index]
  const request = state.requests[index] ?? IDLE
  const { uid, base, attempt, generation } = request
  if (operation?.type !== 'create' && operation?.type !== 'update') throw new Error('nothing to store')
  const { name, costs } = operation
  const object = state.objects[name]
  const over = withRequest(state, index, { phase: 'over' })
  const isRaised = world.limits.some(
    (_, budget) => costBy(world, costs, budget, generation) > costBy(world, request.oldCosts, budget, generation),
  )
  const written = { name, uid, costs, by: isRaised ? generation : (object?.by ?? 0) }
  // A spec without generations that counts nothing allows all, and the next one does not wait for it.
  const isFree = world.isUnnumbered === true && world.specs?.[generation - 1] === 1
  if (isFree && operation.type === 'create' && object === undefined) {
    const debts = state.debts.map((debt, budget) => debt + costBy(world, costs, budget, 1))
    return put({ ...over, debts }, written, world, false)
  }
  if (operation.type === 'create') return object === undefined ? put(over, written, world, false) : over
  if (object?.uid === uid && String(object.version) === base) return put(over, written, world, false)
  return attempt < (world.retries ?? 0) ? withRequest(state, index, { ...IDLE, attempt: attempt + 1 }) : over
}

/** A change that nobody can refuse: an object goes, or its status changes. */
export function happen(state: ModelState, index: number, operation: Operation, world: World): ModelState {
  const over = withRequest(state, index, { phase: 'over' })
  const object = state.objects[operation.name]
  if (object === undefined) return over
  const costs = operation.type === 'remove' ? undefined : operation.costs
  return put(over, { name: operation.name, uid: object.uid, costs, by: object.by }, world, true)
}

interface Written {
  readonly name: string
  readonly uid: string
  readonly costs: readonly number[] | undefined
  readonly by: number
}

/**
 * Throws Violation where a request that was allowed brings a budget over its limit by more than what nobody could refuse, or what an earlier
 * spec allowed may do so on top of what was allowed by the present one.
 */
function put(state: ModelState, { name, uid, costs, by }: Written, world: World, isUnrefusable: boolean): ModelState {
  const { limits } = world
  const { generation } = state
  const version = state.revision + 1
  const { [name]: before, ...others } = state.objects
  const cost = (of: readonly number[] | undefined, budget: number): number =>
    costBy(world, of ?? [], budget, generation)
  const raises = limits.map((_, budget) => cost(costs, budget) - cost(before?.costs, budget))
  const debts = state.debts.map((debt, budget) => debt + (isUnrefusable ? Math.max(0, raises[budget] ?? 0) : 0))
  const objects = costs === undefined ? others : { ...others, [name]: { uid, version, costs, by } }
  for (const [budget, limit] of limits.entries()) {
    const all = Object.values(objects)
    const total = all.reduce((sum, object) => sum + cost(object.costs, budget), 0)
    const isDecided = by === generation || all.some((one) => one.by === generation && cost(one.costs, budget) > 0)
    if ((raises[budget] ?? 0) > 0 && !isUnrefusable && isDecided && total > limit + (debts[budget] ?? 0))
      throw new Violation(`${total} of ${limit} are stored`)
  }
  return { ...state, objects, revision: version, events: [...state.events, { name, uid, version, costs, by }], debts }
}
