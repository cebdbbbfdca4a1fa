import { describe, expect, test } from 'vitest'
import { PODS, ScriptedServer, ScriptedView, creating } from '../../../test/charges/ledger/scripted-ledger.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { fold, isCurrent, isDecidable, isObserved } from './fold.ts'
import type { KindView, LedgerViews } from './kind-view.ts'
import { EMPTY_LEDGER, type LedgerState, totalOf, UNKNOWN_BASE } from './ledger-state.ts'
import { prepare, reserve } from './reserve.ts'

const SERVICES = '/v1/Service'

/** A view of one pod `a` that costs so much, as of a version. */
function viewOf(version: string, cost: number, newest = version): KindView {
  return {
    revision: version,
    newest,
    total: Quantity.of(cost),
    get: (_, name) => (name === 'a' ? { uid: 'u1', version: newest, cost: Quantity.of(cost) } : undefined),
    lastSight: (_, __, uid) => (uid === 'u1' ? { version: newest, isGone: false } : undefined),
  }
}
const views = (view: KindView, rest: Partial<LedgerViews> = {}): LedgerViews => ({
  generation: 1,
  selection: '',
  kinds: new Map([[PODS, view]]),
  ...rest,
})
const total = (state: LedgerState): string => totalOf(state).toString()
const reserved = (state: LedgerState, by: LedgerViews): LedgerState =>
  reserve(state, prepare(state, by, creating('a', 'u1', 4)))

describe('a ledger that is folded', () => {
  const early = views(viewOf('10', 0))
  const state = reserved(fold(EMPTY_LEDGER, early), views({ ...viewOf('10', 0), get: () => undefined }))

  test('holds what was seen, and loses the reservations that were observed', () => {
    expect(total(state)).toBe('4')
    const after = fold(state, views(viewOf('12', 3)))
    expect([total(after), after.names.size]).toEqual(['3', 0])
  })

  test('is the same where nothing changed', () => {
    const after = fold(state, views(viewOf('12', 3)))
    expect(fold(after, views(viewOf('12', 3)))).toBe(after)
  })

  test('compares versions that are longer than numbers are exact', () => {
    const long = fold(EMPTY_LEDGER, views(viewOf('90071992547409931', 3)))
    expect(total(fold(long, views(viewOf('90071992547409930', 5))))).toBe('3')
    expect(total(fold(long, views(viewOf('90071992547409932', 5))))).toBe('5')
    expect(total(fold(long, views(viewOf('100000000000000000', 5))))).toBe('5')
  })

  test('is left alone by a replica of an earlier generation of the quota, which may not decide on it', () => {
    const later = fold(state, views(viewOf('12', 3), { generation: 2 }))
    const old = views(viewOf('13', 9))
    expect(fold(later, old)).toBe(later)
    expect([isDecidable(later, old), isCurrent(later, old)]).toEqual([false, false])
  })

  test('is closed where an amount is added while requests are outstanding that may cost something of it, until they are observed', () => {
    const unseen: KindView = { ...viewOf('10', 0), get: () => undefined, lastSight: () => undefined }
    const seen = viewOf('12', 3)
    const of = (view: KindView, ...amounts: readonly string[]): LedgerViews =>
      views(view, { generation: 2, areAmounts: true, kinds: new Map(amounts.map((amount) => [amount, view])) })
    for (const amounts of [[PODS, SERVICES], [SERVICES]]) {
      const closed = fold(state, of(unseen, ...amounts))
      expect([amounts, closed.settling, closed.names.size]).toEqual([amounts, 'added-2', 1])
      expect(fold(closed, of(unseen, ...amounts))).toBe(closed)
      const after = fold(closed, of(seen, ...amounts))
      expect([amounts, after.settling, after.names.size]).toEqual([amounts, '', 0])
      expect(after.parts.get(SERVICES)?.observed.toString()).toBe('3')
    }
    // Nothing is outstanding; nothing is added; the kinds are of other objects.
    expect(fold(fold(EMPTY_LEDGER, early), of(unseen, PODS, SERVICES)).settling).toBe('')
    expect(fold(state, of(unseen, PODS)).settling).toBe('')
    expect(fold(state, { ...of(unseen, PODS, SERVICES), areAmounts: false }).settling).toBe('')
  })

  test('is decided on by a later generation only once that has counted as far as the ledger', () => {
    const counted = fold(EMPTY_LEDGER, views(viewOf('12', 3)))
    const behind = views(viewOf('11', 3), { generation: 2 })
    expect(isDecidable(fold(counted, behind), behind)).toBe(false)
    const upTo = views(viewOf('12', 3), { generation: 2 })
    expect(isDecidable(fold(counted, upTo), upTo)).toBe(true)
  })

  test('keeps its sum where another replica knows fewer namespaces, and its reservations where it knows more objects', () => {
    const selected = fold(state, views(viewOf('10', 7, '10'), { selection: '30' }))
    const fewer = views(viewOf('12', 2), { selection: '29' })
    const after = fold({ ...selected, names: state.names }, fewer)
    expect([total(after), after.names.size]).toEqual([total({ ...selected, names: state.names }), 1])
    expect(isCurrent(after, fewer)).toBe(false)
  })

  test('is not overwritten by one who is behind, though that one has listed a namespace since', () => {
    const ahead = fold(EMPTY_LEDGER, views(viewOf('10', 3, '15')))
    expect(ahead.parts.get(PODS)?.revision).toBe('15')
    expect(total(fold(ahead, views(viewOf('12', 9))))).toBe('3')
    expect(total(fold(ahead, views(viewOf('15', 9))))).toBe('9')
  })

  test('forgets a kind that a later generation does not count, and keeps one that this replica has yet to hear of', () => {
    const both = fold(EMPTY_LEDGER, {
      ...early,
      kinds: new Map([
        [PODS, viewOf('10', 3)],
        [SERVICES, viewOf('10', 4)],
      ]),
    })
    expect(total(fold(both, early))).toBe('4')
    expect(total(fold(both, views(viewOf('10', 3), { generation: 2 })))).toBe('3')
  })
})

describe('a request is over', () => {
  const server = new ScriptedServer()
  server.put('a', 'u1', 1)
  server.put('b', 'u2', 1)
  server.remove('b')
  server.put('b', 'u3', 1)
  const view = new ScriptedView(server)
  view.see()
  const request = (uid: string, base: string) => ({ uid, base, cost: Quantity.of(1), claim: 'c', isShared: false })
  const name = (text: string) => ({
    kind: PODS,
    namespace: 'n',
    name: text,
    contained: Quantity.zero,
    reservations: [],
  })

  test.each([
    ['a create whose object is there', 'a', 'u1', '', true],
    ['a create whose object is gone', 'b', 'u2', '', true],
    ['a create whose name another object has', 'a', 'u9', '', false],
    ['an update of the present state', 'a', 'u1', '11', false],
    ['an update of an earlier state', 'a', 'u1', '10', true],
    ['an update of an object that is gone', 'b', 'u2', '12', true],
    ['an update of an object that nobody saw, whose name passed to another later', 'b', 'u9', '12', true],
    ['an update of an object that nobody saw, whose name another had before', 'b', 'u9', '99', false],
    ['one of an unknown state', 'a', 'u1', UNKNOWN_BASE, false],
    ['one of an unknown state of an object that is gone', 'b', 'u2', UNKNOWN_BASE, true],
  ])('%s', (_what, of, uid, base, over) => {
    expect(isObserved(view, name(of), request(uid, base))).toBe(over)
  })
})
