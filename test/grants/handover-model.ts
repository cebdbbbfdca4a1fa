import type { ResourcePoolClaim } from '../../src/api/resource-pool-claim/resource-pool-claim.ts'
import type { ResourcePool } from '../../src/api/resource-pool/resource-pool.ts'
import type { ResourceQuota } from '../../src/api/resource-quota/resource-quota.ts'
import { AmountBook } from '../../src/grants/pools/amount-book.ts'
import { poolStatusChange } from '../../src/grants/pools/apply-outcome.ts'
import type { decidePool } from '../../src/grants/pools/decide-pool.ts'
import type { nextSteps, QuotaWrite } from '../../src/grants/pools/handover.ts'
import { claimOf, inPool, NOW, poolOf } from './pool-arena.ts'

/** The functions that are explored, or a mutant of them, and what the server checks of their writes. */
export interface Handover {
  readonly decidePool: typeof decidePool
  readonly nextSteps: typeof nextSteps
  /** Is the pool's status written with its resourceVersion? */
  readonly swapsPool: boolean
  /** Are quotas written and deleted with theirs? */
  readonly swapsQuota: boolean
}

/** What happens from outside, each once, at any time but in this order. Amounts are whole CPUs. */
export type Happening =
  | { readonly what: 'claim'; readonly name: string; readonly namespace: string; readonly cpu: number }
  | { readonly what: 'unclaim'; readonly name: string }
  | { readonly what: 'select' | 'unselect'; readonly namespace: string }
  | { readonly what: 'pool'; readonly cpu: number }
  | { readonly what: 'defaults'; readonly cpu: number }
  /** The pool gets other scopes. Every pod is in all of them. */
  | { readonly what: 'scopes'; readonly scopes: readonly string[] }
  | { readonly what: 'delete-pool' }
  | { readonly what: 'delete-quota'; readonly namespace: string }

/** One small world. It starts settled: its first claims have their room. */
export interface World {
  readonly cpu: number
  readonly defaults?: number
  readonly namespaces: readonly string[]
  readonly claims: readonly { readonly name: string; readonly namespace: string; readonly cpu: number }[]
  /** How many pods of one CPU users may make, in namespaces whose quota allows it at that time. */
  readonly pods: number
  /** How many of them may end again. */
  readonly ends?: number
  readonly happenings: readonly Happening[]
  readonly operators: number
}

export interface Exploration {
  readonly states: number
  /** The first thing that went wrong, with the way that leads to it; undefined when nothing can. */
  readonly violation?: string
}

type Stored<T> = Readonly<Record<string, T>>

/** An operator between two of its calls: what it has read, and what it is about to write. */
type Operator =
  | { readonly at: 'start' }
  | { readonly at: 'pool'; readonly pool: ResourcePool; readonly wishes: Wishes }
  | { readonly at: 'quotas'; readonly quotas: Stored<ResourceQuota> }
  | { readonly at: 'all'; readonly pool: ResourcePool; readonly view: View; readonly gone: readonly string[] }
  | { readonly at: 'writing'; readonly writes: readonly QuotaWrite[]; readonly from?: Seen }

/** What people want; whoever reads it reads it as it is at one moment. */
interface Wishes {
  readonly claims: readonly Claim[]
  /** Those that the pool's selector fits. */
  readonly namespaces: readonly string[]
}

interface View {
  readonly quotas: Stored<ResourceQuota>
  readonly wishes: Wishes
}

/** What a round was planned on, for a round that goes on with what it finds gone. */
interface Seen {
  readonly pool: ResourcePool
  readonly view: View
}

interface Claim {
  readonly name: string
  readonly namespace: string
  readonly cpu: number
  readonly age: number
}

interface State extends View {
  readonly pool: ResourcePool
  /** Pods by namespace. */
  readonly pods: Stored<number>
  readonly podsLeft: number
  readonly endsLeft: number
  readonly happened: number
  readonly operators: readonly Operator[]
}

interface Move {
  readonly name: string
  readonly to: State
  /** Did the administrator change what counts as too much? */
  readonly isAdministrators?: boolean
}

const CPU = 'requests.cpu'
const START: Operator = { at: 'start' }
const book = new AmountBook()

class Violation extends Error {}

/** Follows every order of every move, and checks each state and that each run comes to rest where it should. */
export function explore(world: World, handover: Handover, most = Infinity): Exploration {
  const start = settledStart(world, handover)
  const first = keyOf(start)
  const cameFrom = new Map<string, { readonly before: string; readonly name: string } | undefined>([[first, undefined]])
  const open = [{ key: first, state: start }]
  try {
    for (const { key, state } of open) {
      if (cameFrom.size >= most) break
      const allowedBefore = allowedOf(state)
      for (const { name, to, isAdministrators = false } of movesOf(world, state, handover)) {
        const next = keyOf(to)
        const isNew = !cameFrom.has(next)
        if (isNew) cameFrom.set(next, { before: key, name })
        const allowed = isAdministrators ? 0 : allowedOf(to)
        const limit = Math.max(hardOf(to.pool), allowedBefore)
        if (allowed > limit) throw new Violation(`quotas allow ${allowed} of ${limit}: ${way(cameFrom, next)}`)
        if (isNew) open.push({ key: next, state: to })
      }
      if (isQuiet(world, state)) checkRest(world, state, handover, () => way(cameFrom, key))
    }
    return { states: cameFrom.size }
  } catch (error) {
    if (error instanceof Violation) return { states: cameFrom.size, violation: error.message }
    throw error
  }
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

let versions = 1_000_000
const newVersion = (): string => `v${versions++}`

function way(cameFrom: ReadonlyMap<string, { before: string; name: string } | undefined>, key: string): string {
  const names: string[] = []
  for (let at = cameFrom.get(key); at !== undefined; at = cameFrom.get(at.before)) names.unshift(at.name)
  return names.join(' > ')
}

const scopesOf = (quota: ResourceQuota | undefined): string => (quota?.spec?.scopes ?? []).join()
const hardOf = ({ spec }: ResourcePool): number => Number(spec.quota.hard?.[CPU] ?? 0)
const defaultOf = ({ spec }: ResourcePool): number => Number(spec.defaults?.[CPU] ?? 0)

/** What the quotas of the pool's namespaces allow of it, or what is used where that is more. */
function allowedOf({ pool, quotas, pods }: State): number {
  return Object.entries(quotas).reduce((sum, [namespace, { status }]) => {
    const limit = status?.hard?.[CPU]
    if (limit === undefined) return sum
    const isServed = pool.status?.namespaces?.includes(namespace) === true
    const used = isServed ? (pods[namespace] ?? 0) : 0
    return sum + Math.max(Number(limit) - defaultOf(pool), used - defaultOf(pool), 0)
  }, 0)
}

function settledStart(world: World, handover: Handover): State {
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
  return { ...rest(empty, handover), operators: Array.from({ length: world.operators }, () => START) }
}

const isQuiet = (world: World, { happened, operators }: State): boolean =>
  happened === world.happenings.length && operators.every(({ at }) => at === 'start')

function movesOf(world: World, state: State, handover: Handover): readonly Move[] {
  return [
    ...happeningMoves(world, state),
    ...podMoves(state),
    ...controllerMoves(state),
    ...state.operators.flatMap((operator, index) =>
      operatorMoves(state, operator, handover).map(({ name, to, next }) => ({
        name: `operator ${index} ${name}`,
        to: { ...to, operators: to.operators.with(index, next) },
      })),
    ),
  ]
}

function happeningMoves(world: World, state: State): readonly Move[] {
  const happening = world.happenings[state.happened]
  if (happening === undefined) return []
  const { pool } = state
  const since = { ...state, happened: state.happened + 1 }
  const { claims, namespaces } = state.wishes
  const wishing = (more: Partial<Wishes>): State => ({ ...since, wishes: { ...state.wishes, ...more } })
  const repooled = (more: object): ResourcePool => ({
    ...pool,
    ...more,
    metadata: { ...pool.metadata, resourceVersion: newVersion() },
  })
  const move = (to: State, isAdministrators = false): readonly Move[] => [
    { name: JSON.stringify(happening), to, isAdministrators },
  ]
  switch (happening.what) {
    case 'claim': {
      const { name, namespace, cpu } = happening
      const age = 100 + state.happened
      return move(wishing({ claims: [...claims, { name, namespace, cpu, age }] }))
    }
    case 'unclaim':
      return move(wishing({ claims: claims.filter(({ name }) => name !== happening.name) }))
    case 'select':
      return move(wishing({ namespaces: [...namespaces, happening.namespace] }))
    case 'unselect':
      return move(wishing({ namespaces: namespaces.filter((name) => name !== happening.namespace) }))
    case 'pool':
      return move(
        { ...since, pool: repooled({ spec: { ...pool.spec, quota: { hard: { [CPU]: String(happening.cpu) } } } }) },
        true,
      )
    case 'defaults':
      return move(
        { ...since, pool: repooled({ spec: { ...pool.spec, defaults: { [CPU]: String(happening.cpu) } } }) },
        true,
      )
    case 'scopes': {
      const quota = { ...pool.spec.quota, scopes: happening.scopes }
      return move({ ...since, pool: repooled({ spec: { ...pool.spec, quota } }) })
    }
    case 'delete-pool': {
      const deleted = repooled({})
      return move({ ...since, pool: { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: NOW } } })
    }
    case 'delete-quota': {
      const { [happening.namespace]: _, ...quotas } = state.quotas
      return move({ ...since, quotas })
    }
    default:
      return happening satisfies never
  }
}

/** Admission lets a pod in while what is used stays within `status.hard`; the count follows a pod that ends. */
function podMoves(state: State): readonly Move[] {
  return Object.entries(state.quotas).flatMap(([namespace, quota]) => {
    const limit = quota.status?.hard?.[CPU]
    const pods = state.pods[namespace] ?? 0
    if (limit === undefined) return []
    const counted = (count: number): Pick<State, 'pods' | 'quotas'> => ({
      pods: { ...state.pods, [namespace]: count },
      quotas: {
        ...state.quotas,
        [namespace]: versioned({
          ...quota,
          status: { hard: quota.status?.hard ?? {}, used: { [CPU]: String(count) } },
        }),
      },
    })
    const moves: Move[] = []
    if (state.podsLeft > 0 && pods + 1 <= Number(limit))
      moves.push({ name: `pod in ${namespace}`, to: { ...state, ...counted(pods + 1), podsLeft: state.podsLeft - 1 } })
    if (state.endsLeft > 0 && pods > 0)
      moves.push({
        name: `pod ends in ${namespace}`,
        to: { ...state, ...counted(pods - 1), endsLeft: state.endsLeft - 1 },
      })
    return moves
  })
}

const versioned = (quota: ResourceQuota): ResourceQuota => ({
  ...quota,
  metadata: { ...quota.metadata, resourceVersion: newVersion() },
})

/** The server's quota controller takes `spec.hard` over whenever it likes, and counts. */
function controllerMoves(state: State): readonly Move[] {
  return Object.entries(state.quotas).flatMap(([namespace, quota]) => {
    const hard = quota.spec?.hard ?? {}
    if (quota.status?.hard?.[CPU] === hard[CPU] && quota.status !== undefined) return []
    const used = hard[CPU] === undefined ? {} : { [CPU]: String(state.pods[namespace] ?? 0) }
    const to = { ...state, quotas: { ...state.quotas, [namespace]: versioned({ ...quota, status: { hard, used } }) } }
    return [{ name: `limit enforced in ${namespace}`, to }]
  })
}

interface OperatorMove {
  readonly name: string
  readonly to: State
  readonly next: Operator
}

function operatorMoves(state: State, operator: Operator, handover: Handover): readonly OperatorMove[] {
  const { pool, quotas, wishes } = state
  const crash: readonly OperatorMove[] = operator.at === 'start' ? [] : [{ name: 'crashes', to: state, next: START }]
  const ready = (of: ResourcePool, view: View): Operator => ({ at: 'all', pool: of, view, gone: [] })
  switch (operator.at) {
    case 'start':
      return [
        { name: 'reads the pool', to: state, next: { at: 'pool', pool, wishes } },
        { name: 'reads the quotas', to: state, next: { at: 'quotas', quotas } },
      ]
    case 'pool': {
      const { pool: read, wishes: before } = operator
      return [
        ...crash,
        { name: 'reads the quotas', to: state, next: ready(read, { quotas, wishes: before }) },
        ...(before === wishes ? [] : [{ name: 'reads the rest', to: state, next: ready(read, { quotas, wishes }) }]),
      ]
    }
    case 'quotas':
      return [...crash, { name: 'reads the pool', to: state, next: ready(pool, { quotas: operator.quotas, wishes }) }]
    case 'all':
      return [...crash, decide(state, operator, handover)]
    case 'writing':
      return [...crash, write(state, operator, handover)]
    default:
      return operator satisfies never
  }
}

const claimObjects = new WeakMap<Claim, ResourcePoolClaim>()

function claimObject(claim: Claim): ResourcePoolClaim {
  const { name, namespace, cpu, age } = claim
  const object = claimObjects.get(claim) ?? claimOf(name, { [CPU]: String(cpu) }, { namespace, age })
  claimObjects.set(claim, object)
  return object
}

function decide(
  state: State,
  { pool, view, gone }: Extract<Operator, { at: 'all' }>,
  { decidePool, nextSteps, swapsPool }: Handover,
): OperatorMove {
  const quotas = new Map(Object.entries(view.quotas))
  const claims = view.wishes.claims.map(claimObject)
  const namespaces = inPool('p', ...view.wishes.namespaces)
  const status = poolStatusChange(
    pool,
    decidePool({ pool, quotas, claims, namespaces, gone: new Set(gone), book }),
    NOW,
  )
  const isCurrent = pool.metadata.resourceVersion === state.pool.metadata.resourceVersion
  if (status !== undefined) {
    if (swapsPool && !isCurrent) return { name: 'conflicts on the pool', to: state, next: START }
    const written = { ...state.pool, status, metadata: { ...state.pool.metadata, resourceVersion: newVersion() } }
    const { writes } = nextSteps({ pool: written, quotas, isLive: true, book })
    return { name: 'writes the pool', to: { ...state, pool: written }, next: writing(written, view, writes) }
  }
  const careful = nextSteps({ pool, quotas, isLive: false, book })
  if (!careful.needsLivePool || !isCurrent)
    return { name: 'plans', to: state, next: writing(pool, view, careful.writes) }
  const { writes } = nextSteps({ pool, quotas, isLive: true, book })
  return { name: 'reads the pool again and plans', to: state, next: writing(pool, view, writes) }
}

function writing(pool: ResourcePool, view: View, writes: readonly QuotaWrite[]): Operator {
  if (writes.length === 0) return START
  const goesOn = writes.some(({ kind }) => kind === 'confirm-gone')
  return { at: 'writing', writes, ...(goesOn ? { from: { pool, view } } : {}) }
}

function write(
  state: State,
  { writes: [first, ...others], from }: Extract<Operator, { at: 'writing' }>,
  { swapsQuota }: Handover,
): OperatorMove {
  if (first === undefined) return { name: 'is done', to: state, next: START }
  const { namespace } = first
  const goesOn = from === undefined ? {} : { from }
  const next: Operator = others.length === 0 ? START : { at: 'writing', writes: others, ...goesOn }
  const there = state.quotas[namespace]
  const refused = { name: `is refused to ${first.kind} ${namespace}`, to: state, next }
  const put = (quota: ResourceQuota): OperatorMove => ({
    name: `${first.kind}s ${namespace} ${quota.spec?.hard?.[CPU] ?? '-'}`,
    to: { ...state, quotas: { ...state.quotas, [namespace]: versioned(quota) } },
    next,
  })
  switch (first.kind) {
    case 'create':
      return there === undefined
        ? put({ ...first.quota, metadata: { ...first.quota.metadata, uid: newVersion() } })
        : refused
    case 'update': {
      const isSame = first.quota.metadata.resourceVersion === there?.metadata.resourceVersion
      if (there === undefined || (swapsQuota && !isSame) || scopesOf(there) !== scopesOf(first.quota)) return refused
      return put({ ...first.quota, ...(there.status === undefined ? {} : { status: there.status }) })
    }
    case 'delete': {
      if (there === undefined || (swapsQuota && there.metadata.resourceVersion !== first.resourceVersion))
        return refused
      const { [namespace]: _, ...quotas } = state.quotas
      return { name: `deletes ${namespace}`, to: { ...state, quotas }, next }
    }
    case 'replace': {
      const isSame = first.resourceVersion === there?.metadata.resourceVersion
      if (there === undefined || (swapsQuota && !isSame)) return refused
      const { [namespace]: _, ...quotas } = state.quotas
      const create: QuotaWrite = { kind: 'create', namespace, quota: first.quota }
      return {
        name: `replaces ${namespace}`,
        to: { ...state, quotas },
        next: { at: 'writing', writes: [create, ...others], ...goesOn },
      }
    }
    case 'confirm-gone':
      if (there !== undefined || from === undefined) return { name: `finds ${namespace}`, to: state, next }
      return { name: `finds ${namespace} gone`, to: state, next: { at: 'all', ...from, gone: [namespace] } }
    default:
      return first satisfies never
  }
}

/** Lets one operator and the server's controller work on until nothing is left to do. */
function rest(state: State, handover: Handover): State {
  let now: State = { ...state, operators: [START] }
  for (let calls = 0; calls < 200; calls++) {
    const [move] = controllerMoves(now)
    if (move !== undefined) {
      now = move.to
      continue
    }
    const before = JSON.stringify([now.pool, now.quotas])
    now = oneRound(now, handover)
    if (JSON.stringify([now.pool, now.quotas]) === before) return now
  }
  throw new Violation('an operator that is left alone never comes to rest')
}

function oneRound(state: State, handover: Handover): State {
  let now = state
  for (let calls = 0; calls < 50; calls++) {
    const [operator = START] = now.operators
    const moves = operatorMoves(now, operator, handover).filter(({ name }) => name !== 'crashes')
    const [move] = moves
    if (move === undefined) return now
    now = { ...move.to, operators: [move.next] }
    if (move.next.at === 'start') return now
  }
  throw new Violation('a round of an operator never ends')
}

/** What a world must look like when all has come to rest. */
function checkRest(world: World, state: State, handover: Handover, how: () => string): void {
  const end = rest(state, handover)
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
