import { operatorMoves, START, type WriteProtocol } from './operator.ts'
import { controllerMoves } from './outside.ts'
import { CPU, defaultOf, hardOf, scopesOf, Violation, type State, type World } from './state.ts'

/** Lets one operator and the server's controller work on until nothing is left to do. */
export function rest(state: State, protocol: WriteProtocol): State {
  let now: State = { ...state, operators: [START] }
  for (let calls = 0; calls < 200; calls++) {
    const [move] = controllerMoves(now)
    if (move !== undefined) {
      now = move.to
      continue
    }
    const before = JSON.stringify([now.pool, now.quotas])
    now = oneRound(now, protocol)
    if (JSON.stringify([now.pool, now.quotas]) === before) return now
  }
  throw new Violation('an operator that is left alone never comes to rest')
}

function oneRound(state: State, protocol: WriteProtocol): State {
  let now = state
  for (let calls = 0; calls < 50; calls++) {
    const [operator = START] = now.operators
    const moves = operatorMoves(now, operator, protocol).filter(({ name }) => name !== 'crashes')
    const [move] = moves
    if (move === undefined) return now
    now = { ...move.to, operators: [move.next] }
    if (move.next.at === 'start') return now
  }
  throw new Violation('a round of an operator never ends')
}

/** The required state of a world at rest. */
export function checkRest(world: World, state: State, protocol: WriteProtocol, how: () => string): void {
  const end = rest(state, protocol)
  const broken = (message: string): Violation => new Violation(`${message}: ${how()}`)
  const { pool, quotas, pods } = end
  const { claims, namespaces } = end.wishes
  const served = pool.metadata.deletionTimestamp === undefined ? namespaces.toSorted() : []
  if (JSON.stringify(Object.keys(quotas).toSorted()) !== JSON.stringify(served))
    throw broken(`quotas are left in ${Object.keys(quotas).join(', ')} and not in ${served.join(', ')}`)
  let granted = 0
  for (const namespace of served) {
    if (scopesOf(quotas[namespace]) !== (pool.spec.quota.scopes ?? []).join())
      throw broken(`${namespace} has old scopes`)
    const entries = pool.status?.claims?.[namespace] ?? []
    const target = entries.reduce((sum, { claims: of }) => sum + Number(of?.[CPU] ?? 0), 0)
    const release = pool.status?.releasing?.[namespace]
    const room = Number(release?.room[CPU] ?? 0)
    if (release?.token !== undefined) throw broken(`${namespace} is released forever`)
    const used = Math.max(0, (pods[namespace] ?? 0) - defaultOf(pool))
    if (room > Math.max(0, used - target)) throw broken(`${namespace} keeps ${room}, but uses ${used} of ${target}`)
    const limit = Number(quotas[namespace]?.status?.hard?.[CPU] ?? 0)
    if (limit !== target + room + defaultOf(pool))
      throw broken(`${namespace} may use ${limit} instead of ${target + room}`)
    granted += target + room
  }
  if (Object.keys(pool.status?.releasing ?? {}).some((namespace) => !served.includes(namespace)))
    throw broken('room of a namespace that left is kept')
  const entries = Object.values(pool.status?.claims ?? {}).flat()
  const left = hardOf(pool) - granted
  for (const { name, namespace, cpu } of claims) {
    const hasRoom = entries.some((entry) => entry.name === name)
    if (served.includes(namespace) && !hasRoom && cpu <= left) throw broken(`${name} waits, but ${left} is left`)
  }
  if (entries.some((entry) => !claims.some(({ name }) => name === entry.name)))
    throw broken('a claim that is gone has room')
  if (world.happenings.every(({ what }) => what !== 'pool') && granted > hardOf(pool))
    throw broken(`${granted} is granted`)
}
