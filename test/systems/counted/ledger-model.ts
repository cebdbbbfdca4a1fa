import { checkQuiet, checkRefusal, outstandingIn, Violation } from './model-checks.ts'
import { chargeOf, reservationId, Decisions } from './model-decisions.ts'
import type { LedgerRoom } from './ledger-room.ts'
import { happen, statesRead, store } from './model-api-server.ts'
import { IDLE, isDecided, withAhead, withLedger, withReplica, withRequest } from './model-state.ts'
import { amount, costBy, FIRST_REVISION, viewsOf } from './model-view.ts'
import type { AheadState } from '../../../src/systems/counted/protocol/ahead-state.ts'
import type { Advance, LedgerState } from '../../../src/systems/counted/protocol/ledger-state.ts'
import type { ModelState, Operation, ReplicaState, RequestState, StoredText, WatchEvent, World } from './model-world.ts'

/** Something that may happen in a state, and what it leads to. */
export interface Step {
  readonly name: string
  readonly state: ModelState
}

/** How the protocol goes about it; a change of one of them must be noticed. */
export interface Protocol {
  /** Does a replica bring its view up to date before it refuses? */
  readonly catchesUpToRefuse: boolean
  /** Does it before it lets reservations lapse? */
  readonly catchesUpToLapse: boolean
  /** Is the ledger written before the answer? */
  readonly writesFirst: boolean
  /** Does a write fail on another version than was read? */
  readonly compares: boolean
  /** Does a replica stop to allow requests ahead before others let its advance lapse? */
  readonly endsAdvances: boolean
  /** Does a replica see each generation of a quota, also where one counts as an earlier one did? */
  readonly followsSpecs: boolean
}

export const PROTOCOL: Protocol = {
  catchesUpToRefuse: true,
  catchesUpToLapse: true,
  writesFirst: true,
  compares: true,
  endsAdvances: true,
  followsSpecs: true,
}

/** Twice as many as any path through the worlds has. */
const MOST_WRITES = 50

/**
 * The protocol as a machine of small steps around the reducer of production: API server, watch, ledgers, replicas and requests.
 * An API server stores an update only on the state that admission saw, and a create when the name is free at that time.
 */
export class LedgerModel {
  readonly #world: World
  readonly #protocol: Protocol
  readonly #decisions: Decisions

  constructor(world: World, room: LedgerRoom, protocol: Protocol = PROTOCOL) {
    this.#world = world
    this.#protocol = protocol
    this.#decisions = new Decisions(room)
  }

  initial(): ModelState {
    const {
      objects,
      operations,
      limits,
      replicas = 2,
      failures = 0,
      lostAnswers = 0,
      crashes = 0,
      ticks = 0,
    } = this.#world
    const events = Object.entries(objects).map(([name, costs], index): WatchEvent => ({
      name,
      uid: `${name}0`,
      version: FIRST_REVISION + 1 + index,
      costs,
      by: 0,
    }))
    const { reconciled, ledgerText, withAdvance, EMPTY_LEDGER } = this.#decisions.room
    const { length } = events
    const at = { listed: length, seen: length, generation: 1, widenedAt: 1 }
    const first: Advance = { owner: ownerOf(0, { starts: 1 }), id: 'first', amount: amount(this.#world.ahead ?? 0) }
    const ledgers = limits.map((_, budget): StoredText => {
      const views = viewsOf(events, at, budget, this.#world)
      return {
        version: 1,
        text: ledgerText(withAdvance(reconciled(EMPTY_LEDGER, views), first)),
      }
    })
    const fresh: ReplicaState = { ...at, ledgers, starts: 1, ahead: this.#notAhead(), due: [], released: [] }
    return {
      objects: Object.fromEntries(
        events.map(({ name, uid, version, costs = [], by }) => [name, { uid, version, costs, by }] as const),
      ),
      revision: FIRST_REVISION + length,
      generation: 1,
      events,
      ledgers,
      requests: operations.map(() => IDLE),
      replicas: Array.from({ length: replicas }, (_, index) =>
        index > 0 || this.#world.ahead === undefined
          ? fresh
          : { ...fresh, ahead: fresh.ahead.map((ahead) => ({ ...ahead, granted: first })) },
      ),
      failures,
      lostAnswers,
      crashes,
      ticks,
      debts: limits.map(() => 0),
    }
  }

  #notAhead(): readonly AheadState[] {
    return this.#world.limits.map(() => this.#decisions.room.NOT_AHEAD)
  }

  /** All that may happen next. Throws Violation where something happened that must not. */
  steps(state: ModelState): readonly Step[] {
    const steps: Step[] = []
    for (const [index, operation] of this.#world.operations.entries())
      steps.push(...this.#operate(state, index, operation))
    for (const [index, replica] of state.replicas.entries()) steps.push(...this.#replicate(state, index, replica))
    const { isUnnumbered = false } = this.#world
    const isBehind = isUnnumbered && state.replicas.some(({ generation }) => generation < state.generation)
    if (state.ticks > 0 && !isBehind) steps.push({ name: 'time passes', state: this.#tick(state) })
    const { specs = [] } = this.#world
    if (state.generation < specs.length)
      steps.push({ name: 'the spec changes', state: { ...state, generation: state.generation + 1 } })
    return steps
  }

  /** Throws Violation where nothing is under way any more, and ledger and objects do not agree in the end. */
  checkQuiet(state: ModelState): void {
    if (state.requests.every(({ phase }) => phase === 'over')) checkQuiet(state, this.#decisions, this.#world)
  }

  #operate(state: ModelState, index: number, operation: Operation): readonly Step[] {
    const request = state.requests[index] ?? IDLE
    const title = `${operation.type} ${operation.name}`
    switch (request.phase) {
      case 'to come':
        return operation.type === 'create' || operation.type === 'update'
          ? this.#begin(state, index, operation)
          : [{ name: title, state: happen(state, index, operation, this.#world) }]
      case 'looking':
      case 'reading':
      case 'catching up': {
        const taken = this.#take(state, index)
        if (taken !== undefined) return [{ name: `replica ${request.replica} allows ${title} ahead`, state: taken }]
        if (this.#isWriting(state, request.replica, request.ledger)) return []
        return [
          { name: `replica ${request.replica} is ${request.phase} for ${title}`, state: this.#look(state, index) },
        ]
      }
      case 'writing':
        return this.#write(state, index, title)
      case 'answering':
        return [
          {
            name: `${title} is allowed`,
            state: withRequest(state, index, { phase: request.isLate ? 'over' : 'allowed' }),
          },
        ]
      case 'allowed':
        return [
          { name: `${title} is stored`, state: store(state, index, this.#world) },
          ...(state.failures > 0
            ? [
                {
                  name: `${title} is refused behind the ledger`,
                  state: { ...withRequest(state, index, { phase: 'over' }), failures: state.failures - 1 },
                },
              ]
            : []),
        ]
      case 'over':
        return []
      default:
        return request.phase satisfies never
    }
  }

  /** The API server reads the object and asks one of the replicas, which decides one request at a time. */
  #begin(state: ModelState, index: number, { type, name }: Operation): readonly Step[] {
    const request = state.requests[index] ?? IDLE
    const sources =
      type === 'create'
        ? [{ uid: `${name}${index + 1}`, base: '', oldCosts: [] }]
        : statesRead(state, name, this.#world)
    if (sources.length === 0) {
      const isPossible = state.requests.some(
        ({ phase }, other) =>
          phase !== 'over' &&
          this.#world.operations[other]?.type === 'create' &&
          this.#world.operations[other]?.name === name,
      )
      return isPossible
        ? []
        : [{ name: `update ${name} finds nothing`, state: withRequest(state, index, { phase: 'over' }) }]
    }
    return state.replicas.flatMap(({ generation }, replica) => {
      const isBusy = (one: RequestState): boolean =>
        one.replica === replica &&
        isDecided(one) &&
        (this.#world.ahead === undefined || (one.phase !== 'writing' && one.phase !== 'answering'))
      if (state.requests.some(isBusy)) return []
      return sources.map((source) => {
        const { attempt } = request
        const begun: RequestState = { ...IDLE, ...source, attempt, replica, generation, phase: 'looking' }
        const isConsulting = this.#charged(index, begun).length > 1
        return {
          name: `replica ${replica} is asked to ${type} ${name}`,
          state: withRequest(state, index, this.#advance(index, { ...begun, ledger: -1, isConsulting })),
        }
      })
    })
  }

  /** The ledgers whose cost rises. */
  #charged(index: number, request: RequestState): readonly number[] {
    const { isFree } = this.#decisions.room
    return [...this.#world.limits.keys()].filter((ledger) => !isFree(this.#charge(index, request, ledger)))
  }

  #charge(index: number, request: RequestState, ledger: number) {
    const operation = this.#world.operations[index]
    if (operation === undefined || operation.type === 'remove') throw new Error('nothing to charge')
    const cost = (costs: readonly number[]): number => costBy(this.#world, costs, ledger, request.generation)
    const costs = { cost: cost(operation.costs), oldCost: cost(request.oldCosts) }
    return chargeOf(operation, request, costs, index)
  }

  /** On to the next ledger; after all have decided they reserve, and after that the answer goes out. */
  #advance(index: number, request: RequestState): RequestState {
    const next = this.#charged(index, request).find((ledger) => ledger > request.ledger)
    if (next !== undefined) return { ...request, phase: 'looking', ledger: next, next: undefined }
    if (request.isConsulting) return this.#advance(index, { ...request, isConsulting: false, ledger: -1 })
    return { ...request, phase: 'answering', next: undefined }
  }

  /** Has a replica a write of a ledger in flight? */
  #isWriting({ requests }: ModelState, replica: number, ledger: number): boolean {
    return requests.some((one) => one.phase === 'writing' && one.replica === replica && one.ledger === ledger)
  }

  /** The request is allowed without a write where it fits what the replica reserved ahead. */
  #take(state: ModelState, index: number): ModelState | undefined {
    const request = state.requests[index] as RequestState
    const { replica: own, ledger, phase, isConsulting } = request
    const replica = state.replicas[own] as ReplicaState
    const ahead = replica.ahead[ledger]
    if (phase !== 'looking' || isConsulting || ahead === undefined) return undefined
    const known = this.#decisions.read((replica.ledgers[ledger] as StoredText).text)
    const taken = this.#decisions.room.takeAhead(ahead, known, this.#charge(index, request, ledger))
    if (taken === undefined) return undefined
    return withRequest(
      withAhead(state, own, ledger, () => taken),
      index,
      this.#advance(index, request),
    )
  }

  #look(state: ModelState, index: number): ModelState {
    const request = state.requests[index] ?? IDLE
    const { ledger, phase } = request
    let replica = state.replicas[request.replica] as ReplicaState
    if (phase === 'reading') replica = withLedger(replica, ledger, state.ledgers[ledger] as StoredText)
    if (phase === 'catching up' && this.#protocol.catchesUpToRefuse) replica = this.#caughtUp(state, replica)
    const seen = withReplica(state, request.replica, replica)
    const views = viewsOf(state.events, replica, ledger, this.#world)
    const known = replica.ledgers[ledger] as StoredText
    const limit = this.#world.limits[ledger] ?? 0
    const ahead = replica.ahead[ledger] as AheadState
    const owner = ownerOf(request.replica, replica)
    const looked = this.#decisions.look(known.text, views, replica.released, [])
    const judged = this.#decisions.lookAhead(looked, views, owner, ahead)
    const { isDecidable, isCertain } = this.#decisions.room
    const charge = this.#charge(index, request, ledger)
    const isOpen = judged.settling === '' && isDecidable(judged, views)
    const fits = isOpen ? this.#decisions.fit(judged, views, limit, charge) : undefined
    if (fits !== undefined && request.isConsulting) return withRequest(seen, index, this.#advance(index, request))
    if (fits !== undefined) {
      const begun = this.#decisions.begin(ahead, fits, views, {
        owner,
        id: `${owner}+${known.version}`,
        most: this.#world.ahead ?? 0,
        limit,
      })
      if (begun === undefined) throw new Violation('more is allowed ahead than there is room for')
      return withRequest(
        withAhead(seen, request.replica, ledger, () => begun.ahead),
        index,
        { phase: 'writing', next: { version: known.version, text: begun.text } },
      )
    }
    if (phase === 'looking') return withRequest(seen, index, { phase: 'reading' })
    if (phase === 'reading') return withRequest(seen, index, { phase: 'catching up' })
    // It has to be tried again.
    if (!isOpen && this.#world.specs !== undefined) return this.#giveUp(seen, index)
    if (!isCertain(judged, views) && this.#protocol.catchesUpToRefuse) {
      if (known.version === state.ledgers[ledger]?.version) throw new Violation('a request can never be decided')
      return withRequest(seen, index, { phase: 'reading' })
    }
    const isHeldAhead =
      this.#decisions.room.advancedIn(judged).sign() > 0 &&
      this.#decisions.fit(withoutAdvances(judged), views, limit, charge) !== undefined
    // It has to be tried again, and is not refused.
    if (isHeldAhead) return this.#giveUp(seen, index)
    const operation = this.#world.operations[index]
    if (operation !== undefined) checkRefusal(state, request, operation, this.#world, this.#decisions.read(known.text))
    return this.#giveUp(seen, index)
  }

  /** The request is not allowed; what was reserved for it goes. */
  #giveUp(state: ModelState, index: number): ModelState {
    const { replica, attempt } = state.requests[index] as RequestState
    const { released, ahead, ...rest } = state.replicas[replica] as ReplicaState
    const id = reservationId(index, attempt)
    const over = withReplica(state, replica, {
      ...rest,
      ahead: ahead.map((one) => this.#decisions.room.withoutRequest(one, id)),
      released: [...released, id],
    })
    return withRequest(over, index, { phase: 'over' })
  }

  #write(state: ModelState, index: number, title: string): readonly Step[] {
    const request = state.requests[index] as RequestState
    const { ledger, next, replica } = request
    const { failedAhead, writtenAhead, lostAhead } = this.#decisions.room
    const stored = state.ledgers[ledger] as StoredText
    const name = `replica ${replica} writes the ledger for ${title}`
    const allowed = withRequest(state, index, this.#advance(index, request))
    if (!this.#protocol.writesFirst) return [{ name, state: allowed }]
    if (next === undefined || (stored.version !== next.version && this.#protocol.compares))
      return [
        {
          name: `${name}, in vain`,
          state: withRequest(withAhead(state, replica, ledger, failedAhead), index, {
            phase: 'reading',
            next: undefined,
          }),
        },
      ]
    const written: StoredText = { version: stored.version + 1, text: next.text }
    const ledgers = state.ledgers.with(ledger, written)
    const own = withLedger(this.#released(state.replicas[replica] as ReplicaState), ledger, written)
    const steps = [
      { name, state: withAhead(withReplica({ ...allowed, ledgers }, replica, own), replica, ledger, writtenAhead) },
    ]
    if (state.lostAnswers === 0) return steps
    const unknown = withAhead({ ...state, ledgers, lostAnswers: state.lostAnswers - 1 }, replica, ledger, lostAhead)
    const lost = this.#giveUp(unknown, index)
    return [...steps, { name: `${name} and gets no answer`, state: lost }]
  }

  #replicate(state: ModelState, index: number, replica: ReplicaState): readonly Step[] {
    const steps: Step[] = []
    if (replica.seen < state.events.length)
      steps.push({
        name: `replica ${index} sees an event`,
        state: withReplica(state, index, { ...replica, seen: replica.seen + 1 }),
      })
    for (const [ledger, stored] of state.ledgers.entries()) {
      if (replica.ledgers[ledger]?.version === stored.version) steps.push(...this.#reconcile(state, index, ledger))
      else
        steps.push({
          name: `replica ${index} sees ledger ${ledger}`,
          state: withReplica(state, index, withLedger(replica, ledger, stored)),
        })
    }
    // Without numbers, only a look at the ledger between two specs tells that limits went and came back.
    const { isUnnumbered = false } = this.#world
    const isLooking =
      isUnnumbered && state.ledgers.some((_, ledger) => this.#reconcile(state, index, ledger).length > 0)
    // A watch shows each generation, a list the last one.
    for (const generation of new Set([replica.generation + 1, isUnnumbered ? 0 : state.generation]))
      if (!isLooking && replica.generation < generation && generation <= state.generation)
        steps.push({
          name: `replica ${index} sees the spec ${generation}`,
          state: withReplica(state, index, this.#knowing(replica, generation)),
        })
    if (state.crashes > 0) steps.push({ name: `replica ${index} crashes`, state: this.#crash(state, index) })
    return steps
  }

  /** A replica that sees the next generation, or reads a later one. */
  #knowing(replica: ReplicaState, generation: number): ReplicaState {
    const { specs = [] } = this.#world
    if (generation === replica.generation) return replica
    const isSame = specs[generation - 1] === specs[replica.generation - 1]
    return {
      ...replica,
      generation,
      widenedAt: isSame && !this.#protocol.followsSpecs ? replica.widenedAt : generation,
    }
  }

  #caughtUp(state: ModelState, replica: ReplicaState): ReplicaState {
    const seen = { ...replica, seen: state.events.length }
    return this.#world.isUnnumbered === true ? seen : this.#knowing(seen, state.generation)
  }

  /** Writes what was seen, what lapsed and what was released. On a ledger that is not the newest it would fail. */
  #reconcile(state: ModelState, index: number, ledger: number): readonly Step[] {
    const known = state.replicas[index] as ReplicaState
    const stored = state.ledgers[ledger] as StoredText
    if (stored.version > MOST_WRITES) throw new Violation('replicas write a ledger for ever')
    const isLapse = known.due.length > 0
    const replica = isLapse && this.#protocol.catchesUpToLapse ? this.#caughtUp(state, known) : known
    const views = viewsOf(state.events, replica, ledger, this.#world)
    if (this.#world.ahead !== undefined && this.#isWriting(state, index, ledger)) return []
    // Any replica may lead.
    const after = this.#decisions.look(stored.text, views, replica.released, replica.due, true)
    const ahead = replica.ahead[ledger] as AheadState
    const named = this.#decisions.lookAhead(after, views, ownerOf(index, replica), ahead)
    const text = this.#decisions.room.ledgerText(named)
    if (text === stored.text) return []
    const written: StoredText = { version: stored.version + 1, text }
    const done = withReplica(state, index, withLedger(this.#released(replica), ledger, written))
    // Nothing is reserved ahead without requests.
    const next = this.#decisions.room.canFold(after, views)
      ? withAhead(done, index, ledger, () => ({ ...this.#decisions.room.NOT_AHEAD, order: ahead.order }))
      : done
    return [
      {
        name: `replica ${index} reconciles ledger ${ledger}`,
        state: { ...next, ledgers: state.ledgers.with(ledger, written) },
      },
    ]
  }

  /** With one ledger, a write takes out all that was to be released. */
  #released(replica: ReplicaState): ReplicaState {
    return this.#world.limits.length === 1 ? { ...replica, released: [] } : replica
  }

  #crash(state: ModelState, index: number): ModelState {
    const requests = state.requests.map((one) =>
      one.replica === index && isDecided(one) ? { ...one, phase: 'over' as const } : one,
    )
    const { length } = state.events
    const { generation, ledgers } = state
    const at = { listed: length, seen: length, generation, widenedAt: generation }
    const starts = (state.replicas[index]?.starts ?? 0) + 1
    const fresh: ReplicaState = { ...at, ledgers, starts, ahead: this.#notAhead(), due: [], released: [] }
    return withReplica({ ...state, requests, crashes: state.crashes - 1 }, index, fresh)
  }

  /**
   * No request that was allowed before can be stored any more, and replicas count what they saw before as over. No replica is so far behind
   * that it does not know a spec that was stored before.
   */
  #tick(state: ModelState): ModelState {
    return {
      ...state,
      ticks: state.ticks - 1,
      requests: state.requests.map((one) =>
        one.phase === 'allowed' ? { ...one, phase: 'over' } : isDecided(one) ? { ...one, isLate: true } : one,
      ),
      replicas: state.replicas.map((replica) => ({
        ...this.#knowing(replica, state.generation),
        ahead: this.#protocol.endsAdvances
          ? replica.ahead.map((ahead) => ({ ...ahead, granted: undefined }))
          : replica.ahead,
        due: outstandingIn(replica.ledgers.map(({ text }) => this.#decisions.read(text))),
      })),
    }
  }
}

/** The name of a replica in its advances. */
const ownerOf = (replica: number, { starts }: Pick<ReplicaState, 'starts'>): string => `p${replica}.${starts}`

const withoutAdvances = (ledger: LedgerState): LedgerState => ({
  ...ledger,
  advances: new Map(),
})
