import { NOTHING_SPENT, type Spending } from '../../../src/systems/counted/protocol/advance.ts'
import type { AheadState } from '../../../src/systems/counted/protocol/ahead-state.ts'
import type { KindView, LedgerViews } from '../../../src/systems/counted/protocol/kind-view.ts'
import { type LedgerState, nameKey, type OutstandingName } from '../../../src/systems/counted/protocol/ledger-state.ts'
import type { ChargeRequest, PreparedRequest } from '../../../src/systems/counted/protocol/reserve.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { type Protocol, PROTOCOL } from './ledger-model.ts'
import { type LedgerRoom, PRODUCTION } from './ledger-room.ts'

/** A change of the protocol that the exploration must notice: of functions of the reducer, or of the order of its steps. */
export interface ProtocolMutant {
  readonly title: string
  readonly change: { readonly room: LedgerRoom } | { readonly protocol: Protocol }
  /** The world that shows it. */
  readonly world: string
  /** The finding that it must make. */
  readonly violation: RegExp
}

const STORED = /\d of \d are stored/
const SPURIOUS = /refused that fits/
const LOST = /room is lost|are charged for/

const {
  reconciled,
  canFold,
  withNamed,
  withAdvance,
  ledgerAmounts,
  decideCharges,
  prepareRequest,
  isDecidable,
  isCurrent,
  isCertain,
  isFree,
  roomIn,
  ledgerText,
  takeAhead,
  beginWrite,
} = PRODUCTION

const order = (changed: Partial<Protocol>) => ({ protocol: { ...PROTOCOL, ...changed } })
/** The reducer with other functions in place of some. */
const room = (changed: Partial<LedgerRoom>) => ({ room: { ...PRODUCTION, ...changed } })

/** Larger than any that the model reaches. */
const LAST_VERSION = '999999999'

/** The reducer over other views than the replica has. */
function seeing(change: (views: LedgerViews) => LedgerViews) {
  const changed = new WeakMap<LedgerViews, LedgerViews>()
  const of = (views: LedgerViews): LedgerViews => {
    const known = changed.get(views) ?? change(views)
    changed.set(views, known)
    return known
  }
  return room({
    reconciled: (state, views, ...rest) => reconciled(state, of(views), ...rest),
    canFold: (state, views) => canFold(state, of(views)),
    withNamed: (state, views, requests) => withNamed(state, of(views), requests),
    ledgerAmounts: (options, state, views) => ledgerAmounts(options, state, of(views)),
    prepareRequest: (state, views, request) => prepareRequest(state, of(views), request),
    isDecidable: (state, views) => isDecidable(state, of(views)),
    isCertain: (state, views, amountOf) => isCertain(state, of(views), amountOf),
    roomIn: (state, views, limits) => roomIn(state, of(views), limits),
  })
}

const seeingObjects = (change: (view: KindView) => Partial<KindView>) =>
  seeing((views) => ({
    ...views,
    kinds: new Map(
      views.kinds.entries().map(([kind, view]) => {
        const { revision, newest, total } = view
        const get: KindView['get'] = (namespace, name) => view.get(namespace, name)
        const lastSight: KindView['lastSight'] = (...names) => view.lastSight(...names)
        return [kind, { revision, newest, total, get, lastSight, ...change(view) }]
      }),
    ),
  }))

/** The reducer that takes other costs for the excess of a name. */
function charging(change: (name: OutstandingName) => OutstandingName) {
  const one = (request: PreparedRequest): PreparedRequest => ({
    ...request,
    before: request.before && change(request.before),
    after: change(request.after),
  })
  return room({
    ledgerAmounts: (options, state, views) => ledgerAmounts(options, named(state, change), views),
    roomIn: (state, views, limits) => roomIn(named(state, change), views, limits),
    decideCharges: (amounts, requests, amountOf) =>
      decideCharges(
        amounts,
        requests.map((request) => ({ ...request, prepared: request.prepared.map(one) })),
        amountOf,
      ),
  })
}

const named = (state: LedgerState, change: (name: OutstandingName, key: string) => OutstandingName): LedgerState => ({
  ...state,
  names: new Map(state.names.entries().map(([key, name]) => [key, change(name, key)])),
})

/** The reducer that reserves something else for a request. */
const reserving = (
  change: (prepared: PreparedRequest, state: LedgerState, views: LedgerViews) => Partial<OutstandingName>,
) =>
  room({
    prepareRequest: (state, views, request) => {
      const prepared = prepareRequest(state, views, request)
      return { ...prepared, after: { ...prepared.after, ...change(prepared, state, views) } }
    },
  })

/** The reducer that allows requests ahead on another state. */
const ahead = (change: (state: AheadState, request: ChargeRequest) => AheadState) =>
  room({
    takeAhead: (state, ledger, request) => {
      const taken = takeAhead(change(state, request), ledger, request)
      const { writing } = state
      return taken && { ...taken, writing: taken.writing && writing && { ...taken.writing, advance: writing.advance } }
    },
  })

/** The spending without what earlier requests for the name took. */
function forgotten({ spans, spent }: Spending, { kind, namespace, name }: ChargeRequest): Spending {
  const key = nameKey(kind, namespace, name)
  const span = spans.get(key)
  if (span === undefined) return { spans, spent }
  const rest = new Map(spans)
  rest.delete(key)
  return { spans: rest, spent: spent.sub(span.most.sub(span.least)) }
}

const worthless = (state: LedgerState): LedgerState => ({
  ...state,
  advances: new Map(state.advances.entries().map(([owner, one]) => [owner, { ...one, amount: Quantity.zero }])),
})

export const MUTANTS: readonly ProtocolMutant[] = [
  {
    title: 'a replica that has seen less overwrites what another counted',
    change: seeingObjects(() => ({ revision: LAST_VERSION })),
    world: 'creates that compete',
    violation: /write a ledger for ever|are stored/,
  },
  {
    title: 'an update that ends with a sight of the state that it starts from',
    change: seeingObjects((view) => ({
      lastSight: (...names) => {
        const sight = view.lastSight(...names)
        return sight && { ...sight, version: LAST_VERSION }
      },
    })),
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a create that ends with another object of its name',
    change: seeingObjects((view) => ({
      lastSight: (namespace, name, uid) => {
        const other = view.get(namespace, name)
        return view.lastSight(namespace, name, uid) ?? (other && { version: '0', isGone: false })
      },
    })),
    world: 'a name that is taken again by another object',
    violation: STORED,
  },
  {
    title: 'reservations that never end',
    change: seeingObjects(() => ({ lastSight: () => undefined })),
    world: 'creates that compete',
    violation: LOST,
  },
  {
    title: 'a name whose part of the sum is not counted anew',
    change: room({
      reconciled: (state, ...rest) =>
        named(reconciled(state, ...rest), (name, key) => ({
          ...name,
          contained: state.names.get(key)?.contained ?? name.contained,
        })),
    }),
    world: 'a cost that falls and rises',
    violation: STORED,
  },
  {
    title: 'a smaller request that hides a larger one',
    change: charging((name) => ({ ...name, reservations: name.reservations.slice(-1) })),
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'requests for one name that add up',
    change: charging((name) => {
      const { contained, reservations } = name
      const cost = reservations.reduce((sum, one) => {
        const more = one.cost.sub(contained)
        return more.sign() > 0 ? sum.add(more) : sum
      }, contained)
      return { ...name, reservations: reservations.slice(0, 1).map((one) => ({ ...one, cost })) }
    }),
    world: 'updates that fit only if they do not add up',
    violation: SPURIOUS,
  },
  {
    title: 'the old state of an update taken for what the ledger contains',
    change: reserving(({ request, after }, state, views) => ({
      contained: isCurrent(state, views) ? after.contained : request.oldCost,
    })),
    world: 'updates of one object, by a replica that has seen less than the ledger contains',
    violation: STORED,
  },
  {
    title: 'a newer request that takes the place of the older ones, and takes them along when it is released',
    change: reserving(({ request, after }) => ({
      reservations: after.reservations.filter(({ uid, id }) => uid !== request.uid || id === request.id),
    })),
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a release that takes what others hold of the name',
    change: room({
      release: (state, ids) => ({
        ...state,
        names: new Map(
          state.names.entries().filter(([, { reservations }]) => !reservations.some(({ id }) => ids.has(id))),
        ),
      }),
    }),
    world: 'a lost answer of one of two updates',
    violation: STORED,
  },
  {
    title: 'an id that is never released',
    change: room({ release: (state) => state }),
    world: 'a lost answer',
    violation: SPURIOUS,
  },
  {
    title: 'a request that is free because it costs little',
    change: room({ isFree: (request) => isFree(request) || request.cost.sign() === 0 }),
    world: 'costs below zero',
    violation: STORED,
  },
  {
    title: 'reservations that the text forgets',
    change: room({
      ledgerText: (state) =>
        ledgerText(named(state, (name) => ({ ...name, reservations: name.reservations.slice(0, 1) }))),
    }),
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a refusal on old views',
    change: order({ catchesUpToRefuse: false }),
    world: 'a name that is taken again by another object',
    violation: SPURIOUS,
  },
  {
    title: 'a lapse without a look at what was stored',
    change: order({ catchesUpToLapse: false }),
    world: 'a create that is refused behind the ledger, and lapses',
    violation: STORED,
  },
  {
    title: 'an answer before the write',
    change: order({ writesFirst: false }),
    world: 'creates that compete',
    violation: STORED,
  },
  {
    title: 'a write on whatever the ledger holds',
    change: order({ compares: false }),
    world: 'creates that compete',
    violation: STORED,
  },
  {
    title: 'requests that fit an advance one by one',
    change: ahead((state) => ({ ...state, spending: NOTHING_SPENT })),
    world: 'creates that fit an advance one by one',
    violation: STORED,
  },
  {
    title: 'requests that fit only the advance of before a write',
    change: ahead((state) => ({
      ...state,
      writing: state.writing && { ...state.writing, advance: state.granted },
    })),
    world: 'requests on an advance while it is written',
    violation: STORED,
  },
  {
    title: 'requests on an advance that the ledger never names',
    change: room({ withNamed: (state) => state }),
    world: 'creates on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that takes only the last request for a name',
    change: ahead((state, request) => ({
      ...state,
      spending: forgotten(state.spending, request),
      writing: state.writing && { ...state.writing, later: forgotten(state.writing.later, request) },
    })),
    world: 'updates of one object on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that counts for nothing to other replicas',
    change: room({
      withAdvance: (state, advance) => worthless(withAdvance(state, advance)),
      beginWrite: (...write) => {
        const begun = beginWrite(...write)
        return begun && { ...begun, ledger: worthless(begun.ledger) }
      },
    }),
    world: 'creates on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that ends with the first look of another replica',
    change: room({
      reconciled: (state, views, ...rest) => {
        const after = reconciled(state, views, ...rest)
        return after.advances.size > 0 && canFold(after, views) ? { ...after, advances: new Map() } : after
      },
    }),
    world: 'an update and a create on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that is used while others let it lapse',
    change: order({ endsAdvances: false }),
    world: 'an advance that lapses',
    violation: STORED,
  },
  {
    title: 'a spec that counts more and does not close the ledger',
    change: seeing((views) => ({ ...views, widenedAt: 0 })),
    world: 'a spec that begins to count while requests are in flight',
    violation: STORED,
  },
  {
    title: 'a ledger that a spec closes and that opens before its time',
    change: room({ reconciled: (...look) => ({ ...reconciled(...look), settling: '' }) }),
    world: 'a spec that counts more while a create is in flight',
    violation: STORED,
  },
  {
    title: 'a spec that counts nothing and leaves no trace in the ledger',
    change: room({
      reconciled: (state, views, ...rest) => {
        const after = reconciled(state, views, ...rest)
        return views.kinds.size > 0 ? after : { ...after, parts: new Map() }
      },
    }),
    world: 'a spec that counts nothing, and the change back',
    violation: STORED,
  },
  {
    title: 'limits that all go and leave the ledger open',
    change: room({
      reconciled: (state, views, ...rest) => {
        const after = reconciled(state, views, ...rest)
        return views.kinds.size > 0 ? after : { ...after, settling: '' }
      },
    }),
    world: 'limits without generations that all go and come back',
    violation: STORED,
  },
  {
    title: 'a spec that is changed back and taken for unchanged',
    change: order({ followsSpecs: false }),
    world: 'a change of the spec, and the change back, which one replica does not see',
    violation: STORED,
  },
]
