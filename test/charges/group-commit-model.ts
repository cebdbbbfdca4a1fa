import { type Budget, type BudgetRule, withUsed } from '../../src/charges/budget.ts'
import type { Decision, Denied } from '../../src/charges/decide.ts'
import { type Batch, type BatchInput, type BudgetSnapshot, decideBatch } from '../../src/charges/decide-batch.ts'
import type { Attributes, Evaluators } from '../../src/charges/evaluator.ts'
import { type CommitPort, type CommitRequest, GroupCommit, type WriteOutcome } from '../../src/charges/group-commit.ts'
import { Quantity } from '../../src/quantity/quantity.ts'
import { quantityOf } from '../../src/quantity/resource-list.ts'
import type { Replacement } from '../../src/charges/usage-shift.ts'
import { Choices, type PossibleEvent } from './choices.ts'

/** A world: budgets with one limit each, and requests that arrive in this order, each at any time. */
export interface World {
  /** By compare-and-swap, or in a transaction that starts in the turn of the decision and cannot conflict. */
  readonly writes: 'compare-and-swap' | 'transaction'
  readonly limits: readonly number[]
  readonly requests: readonly WorldRequest[]
  /** How often other writers, failures and deadlines may strike, all together. */
  readonly disturbances: number
}

export interface WorldRequest {
  /** Its cost for each budget. */
  readonly costs: readonly number[]
  readonly dryRun?: boolean
  /** Requests with the same target in the same bucket write the same object; one without a target has an object of its own. */
  readonly target?: string
  readonly bucket?: string
}

export interface Exploration {
  readonly runs: number
  /** The first thing that went wrong, with the choices that lead to it; undefined when nothing can. */
  readonly violation?: string
}

/** The group commit of the model. */
export type ModelCommit = GroupCommit<ModelRequest, ModelSnapshot, Batch, string>

/** The parts of the model that a mutant may take the place of: the group commit, and the decision on its batches. */
export interface Explored {
  readonly Committing: new (port: ModelPort) => ModelCommit
  readonly decide: (input: BatchInput) => Batch
}

/** The parts of production. */
export const PRODUCTION: Explored = { Committing: GroupCommit, decide: decideBatch }

class Violation extends Error {}

/** A run that takes more steps never ends: the longest that the worlds here allow takes half of them. */
const MOST_STEPS = 60
const GROUP = 'g'

/** Follows every order of events in a world to its end, each in a run of its own, and checks each step. */
export async function explore(world: World, explored: Explored = PRODUCTION): Promise<Exploration> {
  let runs = 0
  for (let script: readonly number[] | undefined = []; script !== undefined;) {
    const choices = new Choices(script)
    runs++
    try {
      await new Run(world, explored, choices).follow()
    } catch (error) {
      if (error instanceof Violation) return { runs, violation: `${error.message} (after ${choices.names.join(', ')})` }
      throw error
    }
    script = choices.next()
  }
  return { runs }
}

export type ModelSnapshot = BudgetSnapshot & { readonly version: number }
type State = 'to come' | 'waiting' | 'admitted' | 'denied' | 'failed'

export interface ModelRequest extends CommitRequest {
  readonly index: number
  readonly attributes: Attributes
}

export type ModelPort = CommitPort<ModelRequest, ModelSnapshot, Batch, string>

/** One run: the model is the store, the clients and everybody else, and keeps its own account of what must hold. */
class Run implements ModelPort {
  readonly #world: World
  readonly #choices: Choices
  readonly #commits: ModelCommit
  readonly #decide: Explored['decide']
  readonly #requests: readonly ModelRequest[]
  readonly #states: State[]
  readonly #late = new Set<number>()
  /** The verdicts that were reported. */
  readonly #reported = new Map<number, Decision['verdict']>()
  /** The requests whose writes were stored, in their order. */
  readonly #written = new Set<number>()
  /** The charges of other writers to each budget. */
  readonly #others: number[]
  #budgets: readonly Budget[]
  #version = 0
  #disturbances: number
  #pending: readonly PossibleEvent[] = []
  #refused: ModelRequest[] = []
  /** Requests whose write has failed; their clients learn of it a turn later. */
  readonly #failed = new Set<number>()
  #batch: readonly ModelRequest[] = []
  /** The requests that waited when the budgets were read. */
  #present: ReadonlySet<number> = new Set()
  #snapshot: ModelSnapshot | undefined
  #violation: Violation | undefined

  constructor(world: World, { Committing, decide }: Explored, choices: Choices) {
    this.#world = world
    this.#decide = decide
    this.#choices = choices
    this.#disturbances = world.disturbances
    this.#requests = world.requests.map((request, index) => ({ index, ...requestOf(request, index) }))
    this.#states = world.requests.map(() => 'to come')
    this.#others = world.limits.map(() => 0)
    this.#budgets = world.limits.map(budgetOf)
    this.#commits = new Committing(this)
  }

  decide(snapshot: ModelSnapshot, requests: readonly ModelRequest[]): Batch {
    // Only a transaction stores objects with their charges: there usage follows what a request replaces.
    const replacements =
      this.#world.writes === 'transaction' ? requests.map((request) => this.#replacement(request)) : undefined
    return this.#decide({ ...snapshot, requests: requests.map(({ attributes }) => attributes), replacements })
  }

  #replacement({ index, attributes }: ModelRequest): Replacement {
    const replaced = this.#replacedBy(index)
    const oldObject = replaced === undefined ? undefined : this.#requests[replaced]?.attributes.object
    return { of: attributes, object: attributes.object, oldObject }
  }

  async follow(): Promise<void> {
    for (let step = 0; ; step++) {
      await new Promise(setImmediate)
      this.#checkRefusals([])
      this.#checkWaiting()
      if (this.#violation !== undefined) throw this.#violation
      const events = this.#events()
      if (events.length === 0) break
      if (step > MOST_STEPS) throw new Violation('it never ends')
      this.#choices.pick(events).happen()
    }
  }

  #events(): readonly PossibleEvent[] {
    const next = this.#states.indexOf('to come')
    const come = (many: number): PossibleEvent => ({
      name: many === 1 ? `request ${next} comes` : `requests ${next} to ${next + many - 1} come`,
      happen: () => {
        for (let index = next; index < next + many; index++) this.#arrive(index)
      },
    })
    const left = next < 0 ? 0 : this.#states.length - next
    const arrives = left === 0 ? [] : left === 1 ? [come(1)] : [come(1), come(left)]
    return [...arrives, ...this.#pending, ...(this.#disturbances > 0 ? this.#disturbing() : [])]
  }

  #disturbing(): readonly PossibleEvent[] {
    const strike = (name: string, happen: () => void): PossibleEvent => ({
      name,
      happen: () => {
        this.#disturbances--
        happen()
      },
    })
    const waiting = this.#states.findIndex((state, index) => state === 'waiting' && !this.#late.has(index))
    return [
      ...(waiting < 0 ? [] : [strike(`the deadline of ${waiting} passes`, () => this.#late.add(waiting))]),
      ...(this.#world.writes === 'transaction'
        ? []
        : [strike('somebody charges', () => this.#charge(1)), strike('somebody gives back', () => this.#charge(-1))]),
    ]
  }

  #arrive(index: number): void {
    const request = this.#requests[index]
    if (request === undefined) throw new Error('no such request')
    this.#states[index] = 'waiting'
    this.#commits.commit(GROUP, request).then(
      (result) => this.#answered(index, result),
      (error: unknown) => this.#refusedWith(index, error),
    )
  }

  #answered(index: number, result: string | undefined): void {
    this.#states[index] = 'admitted'
    const isDry = this.#requests[index]?.attributes.dryRun === true
    if (isDry) this.#checkReported(index)
    else if (!this.#written.has(index)) this.#broken(`request ${index} is admitted, but not charged`)
    else if (result !== `result ${index}`) this.#broken(`request ${index} gets ${result}`)
    else this.#checkReported(index)
  }

  #refusedWith(index: number, error: unknown): void {
    this.#states[index] = error === 'failed' || error === 'late' ? 'failed' : 'denied'
    this.#checkReported(index)
    if (this.#written.has(index)) this.#broken(`request ${index} is not admitted, but charged`)
  }

  /** Somebody else changes what is used of every budget, as far as it goes. */
  #charge(by: number): void {
    this.#version++
    for (const [at, limit] of this.#world.limits.entries()) {
      const other = this.#others[at] ?? 0
      if (this.#used(at) + by <= limit && other + by >= 0) this.#others[at] = other + by
    }
    this.#budgets = this.#budgets.map((budget, at) => withUsed(budget, { [NAME]: Quantity.of(this.#used(at)) }))
  }

  /** The verdict of an answered request was reported, and none of a request whose write failed or whose deadline passed. */
  #checkReported(index: number): void {
    const reported = this.#reported.get(index)
    const state = this.#states[index]
    if (reported !== (state === 'failed' ? undefined : state))
      this.#broken(`request ${index} is ${state}, and reported as ${reported ?? 'nothing'}`)
  }

  /** The requests whose charges the stored usage contains; in a transaction, that of the last write of each object. */
  get #charged(): readonly number[] {
    if (this.#world.writes !== 'transaction') return [...this.#written]
    return [...new Map([...this.#written].map((index) => [this.#object(index), index])).values()]
  }

  /** The request whose object this one takes the place of. */
  #replacedBy(index: number): number | undefined {
    if (this.#world.writes !== 'transaction') return undefined
    return this.#charged.find((other) => this.#object(other) === this.#object(index))
  }

  #object(index: number): string {
    const request = this.#requests[index]
    return request === undefined ? '' : objectOf(request)
  }

  /** By the model's own account. */
  #used(at: number): number {
    return this.#charged.reduce((sum, index) => sum + this.#cost(index, at), this.#others[at] ?? 0)
  }

  /** How much the write of a request changes usage. */
  #shift(index: number, at: number): number {
    const replaced = this.#replacedBy(index)
    return this.#cost(index, at) - (replaced === undefined ? 0 : this.#cost(replaced, at))
  }

  #cost(index: number, at: number): number {
    return this.#world.requests[index]?.costs[at] ?? 0
  }

  read(_group: string, requests: readonly ModelRequest[]): ModelSnapshot | Promise<ModelSnapshot> {
    if (this.#pending.length > 0) throw this.#broken('two batches are under way')
    const objects = new Set(requests.map(objectOf))
    if (objects.size < requests.length) throw this.#broken('two requests for one object are in a batch')
    for (const request of requests) this.#checkTurn(request)
    this.#batch = requests
    this.#present = new Set(
      this.#requests.map(({ index }) => index).filter((index) => this.#states[index] === 'waiting'),
    )
    const snapshot = (): ModelSnapshot => {
      this.#snapshot = { budgets: this.#budgets, now: 0, version: this.#version }
      return this.#snapshot
    }
    if (this.#world.writes === 'transaction') return snapshot()
    const { promise, resolve } = Promise.withResolvers<ModelSnapshot>()
    this.#await([{ name: 'the budgets are read', happen: () => resolve(snapshot()) }])
    return promise
  }

  /** Requests for one object are decided in the order in which they came. */
  #checkTurn({ index }: ModelRequest): void {
    const earlier = this.#states.findIndex(
      (state, at) => state === 'waiting' && !this.#failed.has(at) && this.#object(at) === this.#object(index),
    )
    if (earlier >= 0 && earlier < index)
      this.#broken(`request ${index} gets ahead of ${earlier}, which is for the same object`)
  }

  check({ index }: ModelRequest): void {
    if (this.#states[index] !== 'waiting')
      throw this.#broken(`request ${index}, which is ${this.#states[index]}, is decided`)
    if (this.#late.has(index)) throw 'late' // oxlint-disable-line typescript/only-throw-error -- stands for any error
  }

  report(request: ModelRequest, verdict: 'admitted' | 'denied'): void {
    if (this.#late.has(request.index) && verdict === 'denied')
      throw this.#broken('a request is decided after its deadline')
    if (this.#reported.has(request.index)) throw this.#broken(`request ${request.index} is reported twice`)
    this.#reported.set(request.index, verdict)
    if (verdict === 'denied') this.#refused.push(request)
  }

  refusal(_request: ModelRequest, decision: Denied): unknown {
    return decision.refusals[0]
  }

  write(
    _group: string,
    snapshot: ModelSnapshot,
    admitted: readonly ModelRequest[],
    { changed }: Batch,
  ): Promise<WriteOutcome<string>> {
    if (this.#pending.length > 0) throw this.#broken('two writes are in flight')
    this.#checkRefusals(admitted)
    for (const { index, attributes } of admitted) {
      if (attributes.dryRun) throw this.#broken(`dry run ${index} is written`)
      if (this.#states[index] !== 'waiting')
        throw this.#broken(`request ${index}, which is ${this.#states[index]}, is written`)
      if (this.#late.has(index)) throw this.#broken(`request ${index} is written after its deadline`)
    }
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome<string>>()
    const before = this.#budgets
    const written = (): void => resolve({ type: 'written', results: admitted.map(({ index }) => `result ${index}`) })
    const undo = (): void => {
      for (const { index } of admitted) this.#written.delete(index)
      this.#budgets = before
    }
    const strike = (name: string, happen: () => void): readonly PossibleEvent[] =>
      this.#disturbances === 0
        ? []
        : [
            {
              name,
              happen: () => {
                this.#disturbances--
                happen()
              },
            },
          ]
    const isTransaction = this.#world.writes === 'transaction'
    if (isTransaction) this.#store(changed, admitted)
    const land = (): void => {
      if (isTransaction) return written()
      if (snapshot.version !== this.#version) return resolve({ type: 'conflict' })
      this.#store(changed, admitted)
      written()
    }
    this.#await([
      { name: 'the write lands', happen: land },
      ...strike('the write fails', () => {
        if (isTransaction) undo()
        for (const { index } of admitted) this.#failed.add(index)
        reject('failed') // oxlint-disable-line typescript/prefer-promise-reject-errors -- stands for any error
      }),
      ...strike('the last of the batch cannot be written', () => {
        if (isTransaction) undo()
        resolve({ type: 'rejected', error: 'failed', index: admitted.length - 1 })
      }),
    ])
    return promise
  }

  /** One of these happens, and then none of the others. */
  #await(events: readonly PossibleEvent[]): void {
    this.#pending = events.map(({ name, happen }) => ({
      name,
      happen: () => {
        this.#pending = []
        happen()
      },
    }))
  }

  /** The written usage must hold what was stored, and each admitted request once, within the limits. */
  #store(changed: Batch['changed'], admitted: readonly ModelRequest[]): void {
    for (const { index } of admitted) {
      if (this.#written.has(index)) throw this.#broken(`request ${index} is charged twice`)
      this.#written.add(index)
    }
    const next = new Map(changed.map(({ budget, used }) => [budget.ref, used]))
    this.#version++
    this.#budgets = this.#budgets.map((budget, at) => {
      const written = withUsed(budget, next.get(budget.ref) ?? budget.used)
      const used = amountOf(written)
      if (used !== this.#used(at))
        throw this.#broken(`budget ${at} is written with ${used} instead of ${this.#used(at)}`)
      const more = admitted.some(({ index }) => this.#cost(index, at) > 0)
      if (more && used > (this.#world.limits[at] ?? 0))
        throw this.#broken(`budget ${at} is filled over its limit: ${used}`)
      return written
    })
  }

  /** A request that waited when the budgets were read is in that batch, or its target is; and none waits while nothing is in flight. */
  #checkWaiting(): void {
    const objects = new Set(this.#batch.map(objectOf))
    const isIdle = this.#pending.length === 0
    for (const request of this.#requests) {
      const { index } = request
      if (
        this.#states[index] === 'waiting' &&
        (isIdle || (this.#present.has(index) && !objects.has(objectOf(request))))
      )
        this.#broken(`request ${index} waits and is not decided`)
    }
  }

  /** A request that was refused in this turn must not have fitted behind those admitted ahead of it. */
  #checkRefusals(admitted: readonly ModelRequest[]): void {
    for (const refused of this.#refused) {
      const ahead = admitted.filter((one) => this.#batch.indexOf(one) < this.#batch.indexOf(refused))
      const fits = this.#world.limits.every((limit, at) => {
        const cost = this.#cost(refused.index, at)
        const budget = this.#snapshot?.budgets[at]
        const used = budget === undefined ? 0 : amountOf(budget)
        return cost === 0 || used + ahead.reduce((sum, { index }) => sum + this.#shift(index, at), cost) <= limit
      })
      if (fits) this.#broken(`request ${refused.index} is refused, but fits`)
    }
    this.#refused = []
  }

  /** Kept as well, since the code under test may take it for the error of a write. */
  #broken(message: string): Violation {
    this.#violation ??= new Violation(message)
    return this.#violation
  }
}

const NAME = 'units'

const amountOf = (budget: Budget): number => Number(quantityOf(budget.used, NAME)?.toString() ?? NaN)

/** Budget `at` is charged what the object says it costs it. */
function budgetOf(limit: number, at: number): Budget {
  const evaluators: Evaluators = {
    of: (resource) => ({
      ...resource,
      names: [NAME],
      handles: () => true,
      counts: (name) => name === NAME,
      usage: (object) => ({ [NAME]: Quantity.of(Number(object.metadata.annotations?.[at] ?? 0)) }),
    }),
  }
  const rule: BudgetRule = {
    evaluators,
    countedBy: () => [NAME],
    match: () => ({ counted: true, met: [] }),
  }
  const ref = { group: 'model', kind: 'Budget', namespace: '', name: String(at) }
  return { ref, hard: { [NAME]: Quantity.of(limit) }, used: { [NAME]: Quantity.of(0) }, rule }
}

/** Names the object that a request writes. */
const objectOf = ({ target: { bucket, key } }: CommitRequest): string => `${bucket}/${key}`

function requestOf(
  { costs, dryRun = false, target, bucket = 'things' }: WorldRequest,
  index: number,
): Omit<ModelRequest, 'index'> {
  const name = target ?? String(index)
  const annotations = Object.fromEntries(costs.map((cost, at) => [at, String(cost)]))
  const attributes: Attributes = {
    group: 'model',
    resource: 'things',
    subresource: '',
    operation: 'CREATE',
    name,
    namespace: GROUP,
    object: { apiVersion: 'model/v1', kind: 'Thing', metadata: { name, annotations } },
    dryRun,
  }
  return { attributes, dryRun, target: { bucket, key: name } }
}
