import { operatorMoves, START, type WriteProtocol } from './operator.ts'
import { controllerMoves, happeningMoves, podMoves, type Move } from './outside.ts'
import { checkRest, rest } from './rest.ts'
import { allowedOf, CPU, hardOf, newVersion, Violation, type State, type World } from './state.ts'
import { poolOf } from '../pool-arena.ts'

/** The findings of the exploration. */
export interface Exploration {
  readonly states: number
  /** The first thing that went wrong, with the way that leads to it; undefined when nothing can. */
  readonly violation?: string
}

/** Follows every order of every move, and checks each state and that each run comes to rest where it should. */
export function explore(world: World, protocol: WriteProtocol, most = Infinity): Exploration {
  const start = settledStart(world, protocol)
  const first = keyOf(start)
  const cameFrom = new Map<string, { readonly before: string; readonly name: string } | undefined>([[first, undefined]])
  const open = [{ key: first, state: start }]
  try {
    for (const { key, state } of open) {
      if (cameFrom.size >= most) break
      const allowedBefore = allowedOf(state)
      for (const { name, to, isAdministrators = false } of movesOf(world, state, protocol)) {
        const next = keyOf(to)
        const isNew = !cameFrom.has(next)
        if (isNew) cameFrom.set(next, { before: key, name })
        const allowed = isAdministrators ? 0 : allowedOf(to)
        const limit = Math.max(hardOf(to.pool), allowedBefore)
        if (allowed > limit) throw new Violation(`quotas allow ${allowed} of ${limit}: ${way(cameFrom, next)}`)
        if (isNew) open.push({ key: next, state: to })
      }
      if (isQuiet(world, state)) checkRest(world, state, protocol, () => way(cameFrom, key))
    }
    return { states: cameFrom.size }
  } catch (error) {
    if (error instanceof Violation) return { states: cameFrom.size, violation: error.message }
    throw error
  }
}

function settledStart(world: World, protocol: WriteProtocol): State {
  const defaults = world.defaults ?? 0
  const spec = { quota: { hard: { [CPU]: String(world.cpu) } }, defaults: { [CPU]: String(defaults) } }
  const empty: State = {
    pool: poolOf('p', spec, { metadata: { resourceVersion: newVersion() } }),
    quotas: {},
    wishes: { claims: world.claims.map((claim, age) => ({ ...claim, age })), namespaces: world.namespaces },
    pods: {},
    podsLeft: world.pods,
    endsLeft: world.ends ?? 0,
    happened: 0,
    operators: [],
  }
  return { ...rest(empty, protocol), operators: Array.from({ length: world.operators }, () => START) }
}

const isQuiet = (world: World, { happened, operators }: State): boolean =>
  happened === world.happenings.length && operators.every(({ at }) => at === 'start')

function movesOf(world: World, state: State, protocol: WriteProtocol): readonly Move[] {
  return [
    ...happeningMoves(world, state),
    ...podMoves(state),
    ...controllerMoves(state),
    ...state.operators.flatMap((operator, index) =>
      operatorMoves(state, operator, protocol).map(({ name, to, next }) => ({
        name: `operator ${index} ${name}`,
        to: { ...to, operators: to.operators.with(index, next) },
      })),
    ),
  ]
}

const texts = new WeakMap<object, string>()

function textOf(value: object): string {
  const known = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, known)
  return known
}

/** Versions are named in the order in which they occur, and operators have none: what differs in nothing else is one state. */
function keyOf({ pool, quotas, operators, wishes, pods, podsLeft, endsLeft, happened }: State): string {
  const small = JSON.stringify([wishes, pods, podsLeft, endsLeft, happened])
  const stored = Object.keys(quotas)
    .toSorted()
    .map((name) => `${name}${textOf(quotas[name] ?? {})}`)
  const text = [small, textOf(pool), ...stored, ...operators.map(textOf).toSorted()].join(' ')
  const names = new Map<string, string>()
  return text.replaceAll(/"v\d+"/g, (version) => {
    const name = names.get(version) ?? String(names.size)
    names.set(version, name)
    return name
  })
}

function way(cameFrom: ReadonlyMap<string, { before: string; name: string } | undefined>, key: string): string {
  const names: string[] = []
  for (let at = cameFrom.get(key); at !== undefined; at = cameFrom.get(at.before)) names.unshift(at.name)
  return names.join(' > ')
}
