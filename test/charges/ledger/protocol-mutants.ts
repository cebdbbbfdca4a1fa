import { type Protocol, PROTOCOL } from './ledger-model.ts'
import type { LedgerMutation } from './ledger-room.ts'

/** A change of the protocol that the exploration must notice: of the reducer's source, or of the order of its steps. */
export interface ProtocolMutant {
  readonly title: string
  readonly change: LedgerMutation | Protocol
  /** The world that shows it. */
  readonly world: string
  /** The finding that it must make. */
  readonly violation: RegExp
}

const STORED = /\d of \d are stored/
const SPURIOUS = /refused that fits/
const LOST = /room is lost|are charged for/

export const MUTANTS: readonly ProtocolMutant[] = [
  {
    title: 'a replica that has seen less overwrites what another counted',
    change: {
      file: 'fold.ts',
      find: "if (isNewer && isUpTo(view.revision, part.revision)) return 'current'",
      replace: "if (isNewer) return 'current'",
    },
    world: 'creates that compete',
    violation: /write a ledger for ever|are stored/,
  },
  {
    title: 'an update that ends with a sight of the state that it starts from',
    change: { file: 'fold.ts', find: 'return isOlder(base, sight.version)', replace: 'return true' },
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a create that ends with another object of its name',
    change: {
      file: 'fold.ts',
      find: "if (base === '') return sight !== undefined",
      replace: "if (base === '') return sight !== undefined || view.get(namespace, name) !== undefined",
    },
    world: 'a name that is taken again by another object',
    violation: STORED,
  },
  {
    title: 'reservations that never end',
    change: { file: 'fold.ts', find: 'if (isObserved(view, name, reservation))', replace: 'if (false)' },
    world: 'creates that compete',
    violation: LOST,
  },
  {
    title: 'a name whose part of the sum is not counted anew',
    change: {
      file: 'fold.ts',
      find: "freshness === 'current' ? costIn(view, name) : name.contained",
      replace: 'name.contained',
    },
    world: 'a cost that falls and rises',
    violation: STORED,
  },
  {
    title: 'a smaller request that hides a larger one',
    change: {
      file: 'ledger-state.ts',
      find: 'if (more.cmp(excess) > 0) excess = more',
      replace: 'excess = more.sign() < 0 ? Quantity.zero : more',
    },
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'requests for one name that add up',
    change: {
      file: 'ledger-state.ts',
      find: 'if (more.cmp(excess) > 0) excess = more',
      replace: 'if (more.sign() > 0) excess = excess.add(more)',
    },
    world: 'updates that fit only if they do not add up',
    violation: SPURIOUS,
  },
  {
    title: 'the old state of an update taken for what the ledger contains',
    change: {
      file: 'reserve.ts',
      find: 'return known !== undefined && known.contained.cmp(least) < 0 ? known.contained : least',
      replace: 'return oldCost',
    },
    world: 'updates of one object, by a replica that has seen less than the ledger contains',
    violation: STORED,
  },
  {
    title: 'a newer request that takes the place of the older ones, and takes them along when it is released',
    change: {
      file: 'reserve.ts',
      find: 'if (last === undefined) return [...known, {',
      replace: 'if (last === undefined) return [...known.filter((one) => one.uid !== uid), {',
    },
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a release that takes what others hold of the name',
    change: {
      file: 'reserve.ts',
      find: 'isShared || !claims.has(claim))',
      replace: 'isShared || !name.reservations.some((one) => claims.has(one.claim)))',
    },
    world: 'a lost answer of one of two updates',
    violation: STORED,
  },
  {
    title: 'a claim that is never released',
    change: { file: 'reserve.ts', find: 'isShared || !claims.has(claim))', replace: 'true)' },
    world: 'a lost answer',
    violation: SPURIOUS,
  },
  {
    title: 'a request that is free because it costs little',
    change: {
      file: 'reserve.ts',
      find: 'return cost.cmp(oldCost) <= 0',
      replace: 'return cost.cmp(oldCost) <= 0 || cost.sign() === 0',
    },
    world: 'costs below zero',
    violation: STORED,
  },
  {
    title: 'reservations that the text forgets',
    change: {
      file: 'ledger-text.ts',
      find: '...reservations.flatMap(fieldsOf)',
      replace: '...reservations.slice(0, 1).flatMap(fieldsOf)',
    },
    world: 'updates of one object',
    violation: STORED,
  },
  {
    title: 'a refusal on old views',
    change: { ...PROTOCOL, catchesUpToRefuse: false },
    world: 'a name that is taken again by another object',
    violation: SPURIOUS,
  },
  {
    title: 'a lapse without a look at what was stored',
    change: { ...PROTOCOL, catchesUpToLapse: false },
    world: 'a create that is refused behind the ledger, and lapses',
    violation: STORED,
  },
  {
    title: 'an answer before the write',
    change: { ...PROTOCOL, writesFirst: false },
    world: 'creates that compete',
    violation: STORED,
  },
  {
    title: 'a write on whatever the ledger holds',
    change: { ...PROTOCOL, compares: false },
    world: 'creates that compete',
    violation: STORED,
  },
  {
    title: 'requests that fit an advance one by one',
    change: {
      file: 'ahead-state.ts',
      find: 'spend(ahead.spending, request)',
      replace: 'spend(NOTHING_SPENT, request)',
    },
    world: 'creates that fit an advance one by one',
    violation: STORED,
  },
  {
    title: 'requests that fit only the advance of before a write',
    change: { file: 'ahead-state.ts', find: 'later.spent.cmp(writing?.advance', replace: 'later.spent.cmp(granted' },
    world: 'requests on an advance while it is written',
    violation: STORED,
  },
  {
    title: 'requests on an advance that the ledger never names',
    change: {
      file: 'advance.ts',
      find: 'if (requests.length === 0) return state',
      replace: 'if (requests.length >= 0) return state',
    },
    world: 'creates on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that takes only the last request for a name',
    change: {
      file: 'advance.ts',
      find: '{ least: smaller(before.least, oldCost), most: larger(before.most, cost) }',
      replace: '{ least: oldCost, most: cost }',
    },
    world: 'updates of one object on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that counts for nothing to other replicas',
    change: {
      file: 'advance.ts',
      find: 'set(advance.owner, { ...advance,',
      replace: 'set(advance.owner, { ...advance, amount: Quantity.zero,',
    },
    world: 'creates on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that ends with the first look of another replica',
    change: { file: 'fold.ts', find: 'isApart || !isOver(advance)', replace: 'false' },
    world: 'an update and a create on an advance',
    violation: STORED,
  },
  {
    title: 'an advance that is used while others let it lapse',
    change: { ...PROTOCOL, endsAdvances: false },
    world: 'an advance that lapses',
    violation: STORED,
  },
  {
    title: 'a spec that counts more and does not close the ledger',
    change: { file: 'widening.ts', find: 'settling !== textOf(widenedAt) && parts', replace: 'false && parts' },
    world: 'a spec that begins to count while requests are in flight',
    violation: STORED,
  },
  {
    title: 'a ledger that a spec closes and that opens before its time',
    change: { file: 'tidied.ts', find: 'const isOpen = isSettled && closed === state', replace: 'const isOpen = true' },
    world: 'a spec that counts more while a create is in flight',
    violation: STORED,
  },
  {
    title: 'a spec that is changed back and taken for unchanged',
    change: { ...PROTOCOL, followsSpecs: false },
    world: 'a change of the spec, and the change back, which one replica does not see',
    violation: STORED,
  },
]
