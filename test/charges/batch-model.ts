import type { KubeObject } from '../../src/machinery/object.ts'
import { Quantity } from '../../src/quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../src/quantity/resource-list.ts'
import type { BatchAttempt, decideBatch, overcharged, pending, retryBatch } from '../../src/charges/decide-batch.ts'
import type { Attributes } from '../../src/charges/evaluator.ts'
import { LimitNames, type QuotaState, withUsed } from '../../src/charges/resource-quota/quota-budget.ts'

/** The functions that are explored: those of `batch.ts`, or a mutant of them. */
export interface Batching {
  readonly decideBatch: typeof decideBatch
  readonly retryBatch: typeof retryBatch
  readonly pending: typeof pending
  readonly overcharged: typeof overcharged
}

/** One small world: quotas with whole numbers, and requests that come in one batch. */
export interface World {
  readonly quotas: readonly { readonly name: string; readonly hard: Readonly<Record<string, number>> }[]
  readonly requests: readonly { readonly cpu: number; readonly dryRun?: boolean }[]
}

/** What somebody else does to a quota between our reading and our writing it, so that our write conflicts. */
const INTERFERENCES = ['none', 'charge', 'release', 'replace'] as const
type Interference = (typeof INTERFERENCES)[number]

/** How often the batch is tried again before the caller gives up on what is left. */
const RETRIES = 2

export interface Exploration {
  /** Runs that were followed to their end. */
  readonly runs: number
  /** The first thing that went wrong, with the choices that lead to it; undefined when nothing can. */
  readonly violation?: string
}

/** A stored quota, and which requests its usage contains by the model's own account. */
interface Stored {
  readonly state: QuotaState
  readonly charged: ReadonlySet<number>
}

interface Path {
  readonly stored: readonly Stored[]
  readonly attempt: BatchAttempt
  readonly refused: ReadonlySet<number>
  readonly round: number
  readonly choices: readonly string[]
}

class Violation extends Error {}

/** Follows every choice of every interference in a world to its end, and checks each step. */
export function explore(world: World, batching: Batching): Exploration {
  let runs = 0
  const requests = world.requests.map(podRequest)
  const start = world.quotas.map(({ name, hard }) => ({ state: quotaOf(name, hard, 1), charged: new Set<number>() }))
  const follow = (path: Path): void => {
    checkRefusals(path)
    const changed = new Map(path.attempt.changed.map((change) => [change.quota.name, change.used]))
    const waysOn = combinations(
      path.stored.map(({ state }) => (changed.has(state.name) ? INTERFERENCES : (['none'] as const))),
    )
    for (const way of waysOn) {
      const written = new Set<string>()
      const stored = path.stored.map((quota, index) => {
        const interference = way[index] ?? 'none'
        const used = changed.get(quota.state.name)
        if (interference !== 'none') return interfered(quota, interference)
        if (used === undefined) return quota
        written.add(quota.state.name)
        return charge(quota, used, path)
      })
      const choices = [...path.choices, way.join(',')]
      const open = batching.pending(path.attempt, written)
      if (open.length === 0 || path.round === RETRIES) {
        runs++
        checkEnd({ ...path, stored, choices }, batching.overcharged(path.attempt, written, open), open)
        continue
      }
      const attempt = batching.retryBatch(path.attempt, { written, quotas: stored.map(({ state }) => state), now: 0 })
      follow({ stored, attempt, refused: refusedIn(path.attempt), round: path.round + 1, choices })
    }
  }
  try {
    const attempt = batching.decideBatch({ quotas: start.map(({ state }) => state), requests, now: 0 })
    follow({ stored: start, attempt, refused: new Set(), round: 0, choices: [] })
    return { runs }
  } catch (error) {
    if (error instanceof Violation) return { runs, violation: error.message }
    throw error
  }
}

const amount = (list: ResourceList, name: string): number => Number(quantityOf(list, name)?.toString() ?? 0)

/** Our write succeeds: the usage must hold exactly what it held and each newly charged request once, within the limit. */
function charge({ state, charged }: Stored, used: ResourceList, path: Path): Stored {
  const fresh = [...path.attempt.requests.keys()].filter((index) => {
    const decision = path.attempt.decisions[index]
    const isCharged = decision?.verdict === 'admitted' && decision.charges.some(({ quota }) => quota === state.name)
    return isCharged && path.attempt.requests[index]?.dryRun !== true && !charged.has(index)
  })
  for (const name of state.limits.all) {
    const expected = amount(state.used, name) + fresh.reduce((sum, index) => sum + costOf(path, index, name), 0)
    if (amount(used, name) !== expected)
      throw broken(path, `${state.name} is written with ${name}=${amount(used, name)}, which should be ${expected}`)
    if (fresh.some((index) => costOf(path, index, name) > 0) && expected > amount(state.hard, name))
      throw broken(path, `${state.name} is filled over its limit: ${name}=${expected}`)
  }
  return { state: newer(withUsed(state, used)), charged: new Set([...charged, ...fresh]) }
}

/** A refusal is final, whatever happens later. */
function checkRefusals(path: Path): void {
  for (const index of path.refused)
    if (path.attempt.decisions[index]?.verdict !== 'denied')
      throw broken(path, `the refusal of request ${index} is cleared`)
}

/** At the end whoever is admitted is charged by every quota that counts it, and nobody else is, unless it is told of. */
function checkEnd(path: Path, overcharges: readonly string[], open: readonly number[]): void {
  const told = new Set(overcharges)
  for (const [index, decision] of path.attempt.decisions.entries()) {
    const isAdmitted = decision.verdict === 'admitted' && !open.includes(index)
    for (const { state, charged } of path.stored) {
      const counts = state.limits.all.some((name) => costOf(path, index, name) > 0)
      // A quota that replaced another is counted by its controller; what was settled before is not known to it here.
      if (
        isAdmitted &&
        counts &&
        path.attempt.requests[index]?.dryRun !== true &&
        !charged.has(index) &&
        !isReplaced(state)
      )
        throw broken(path, `request ${index} is admitted, but ${state.name} is not charged`)
      if (charged.has(index) && !isAdmitted && !told.has(state.name) && !isReplaced(state))
        throw broken(path, `${state.name} holds the charge of request ${index}, which is not admitted`)
    }
  }
}

const broken = ({ choices, round }: Path, message: string): Violation =>
  new Violation(`${message} (round ${round}, after ${JSON.stringify(choices)})`)

const refusedIn = ({ decisions }: BatchAttempt): ReadonlySet<number> =>
  new Set([...decisions.keys()].filter((index) => decisions[index]?.verdict === 'denied'))

function costOf({ attempt }: Path, index: number, name: string): number {
  const { object } = attempt.requests[index] ?? {}
  return name === 'pods' ? 1 : name === 'requests.cpu' ? Number(object?.metadata.annotations?.['cpu'] ?? 0) : 0
}

/** Another writer was faster, so our write fails: its own charge, a release, or a new quota of the same name. */
function interfered({ state, charged }: Stored, interference: Interference): Stored {
  if (interference === 'replace')
    return { state: { ...newer(state), uid: `${state.uid}'`, used: zero(state.limits.all) }, charged: new Set() }
  const step = interference === 'charge' ? 1 : -1
  const used = Object.fromEntries(
    state.limits.all.map((name) => {
      const after = Math.min(amount(state.used, name) + step, amount(state.hard, name))
      return [name, Quantity.of(Math.max(after, 0))]
    }),
  )
  return { state: newer(withUsed(state, used)), charged }
}

const isReplaced = ({ uid }: QuotaState): boolean => uid.endsWith("'")

const newer = (state: QuotaState): QuotaState => ({
  ...state,
  resourceVersion: String(Number(state.resourceVersion) + 1),
})

const zero = (names: readonly string[]): ResourceList => Object.fromEntries(names.map((name) => [name, Quantity.zero]))

function quotaOf(name: string, hard: Readonly<Record<string, number>>, version: number): QuotaState {
  const names = Object.keys(hard)
  return {
    name,
    namespace: 'ns',
    uid: `uid-${name}`,
    resourceVersion: String(version),
    hard: Object.fromEntries(Object.entries(hard).map(([key, value]) => [key, Quantity.of(value)])),
    used: zero(names),
    limits: new LimitNames(names),
    scopes: [],
  }
}

function podRequest({ cpu, dryRun = false }: World['requests'][number], index: number): Attributes {
  const resources = { requests: { cpu: String(cpu) } }
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}`, namespace: 'ns', annotations: { cpu: String(cpu) } },
    spec: { containers: [{ name: 'c', resources }] },
  }
  const of = { group: '', resource: 'pods', subresource: '', operation: 'CREATE' as const }
  return { ...of, name: `p${index}`, namespace: 'ns', object, dryRun }
}

function combinations<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return choices.reduce<readonly (readonly T[])[]>(
    (ways, choice) => ways.flatMap((way) => choice.map((one) => [...way, one])),
    [[]],
  )
}
