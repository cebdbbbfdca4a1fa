import { describe, expect, test } from 'vitest'
import { PODS, ScriptedServer, ScriptedView, creating } from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { fold, isCurrent, isDecidable, isObserved } from './fold.ts'
import type { KindView, LedgerViews } from './kind-view.ts'
import { EMPTY_LEDGER, type LedgerState, totalOf, UNKNOWN_BASE } from './ledger-state.ts'
import { prepareRequest, reserve } from './reserve.ts'
import { reconciled } from './reconciled.ts'
import { closedForWidening, mustClose } from './widening.ts'

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
  reserve(state, prepareRequest(state, by, creating('a', 'u1', 4)))

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

  test('is left alone after its quota was widened, until it is closed for that', () => {
    const widened = views(viewOf('12', 3), { generation: 3, widenedAt: 2 })
    expect(fold(state, widened)).toBe(state)
    expect([mustClose(state, widened), isDecidable(state, widened)]).toEqual([true, false])
    const closed = closedForWidening(state, widened)
    expect(closed).toEqual({ ...state, settling: 'widened-2' })
    expect(closedForWidening(closed, widened)).toBe(closed)
    const after = fold(closed, widened)
    expect([after.settling, total(after), after.names.size]).toEqual(['widened-2', '3', 0])
    expect([mustClose(after, widened), isCurrent(after, widened)]).toEqual([false, true])
    // Its time begins anew with the next spec.
    const again = views(viewOf('12', 3), { generation: 4, widenedAt: 4 })
    expect(fold(after, again)).toBe(after)
    expect(closedForWidening(after, again).settling).toBe('widened-4')
  })

  test('holds nothing where a generation counts nothing, and is closed by the next that counts, for all that was allowed before', () => {
    const nothing = views(viewOf('12', 0), { generation: 2, kinds: new Map() })
    const emptied = fold(state, nothing)
    expect([total(emptied), emptied.names.size, emptied.settling]).toEqual(['0', 0, ''])
    expect(isCurrent(emptied, nothing)).toBe(true)
    expect(fold(emptied, nothing)).toBe(emptied)
    // The next generation counts the same kinds as the first, and does not see the reserved object yet.
    const again = views({ ...viewOf('12', 0), get: () => undefined }, { generation: 3, widenedAt: 3 })
    expect(fold(emptied, again)).toBe(emptied)
    const after = reconciled(emptied, again, {}, true)
    expect([total(after), after.settling]).toEqual(['0', 'widened-3'])
    const waited = views(viewOf('13', 4), { generation: 3, widenedAt: 3 })
    const open = reconciled(after, waited, { isSettled: true })
    expect([total(open), open.settling]).toEqual(['4', ''])
  })

  test('ends what was reserved by an earlier spec in time where a generation counts nothing', () => {
    const nothing = views(viewOf('12', 0), { generation: 2, kinds: new Map() })
    const late = reserved(fold(state, nothing), nothing)
    expect(total(fold(late, nothing))).toBe('4')
    expect(total(fold(late, nothing, () => true))).toBe('0')
  })

  test('of a quota without generations is closed where all limits go, until what was reserved is over', () => {
    const of = (widenedBy: string, limits: readonly string[], view = viewOf('12', 0)): LedgerViews =>
      views(view, {
        kinds: new Map(limits.map((limit) => [limit, view])),
        unnumbered: { has: (part) => limits.includes(part), widenedBy },
      })
    const [id] = state.names.values().flatMap(({ reservations }) => reservations.map((one) => one.id))
    const emptied = reconciled(state, of('', []), {}, true)
    expect([emptied.parts.size, emptied.names.size, emptied.settling]).toEqual([0, 0, `widened-${id}`])
    // The limit is back, and the object that was reserved is not seen yet.
    const again = reconciled(emptied, of('120', [PODS], { ...viewOf('12', 0), get: () => undefined }), {}, true)
    expect([total(again), again.settling]).toEqual(['0', `widened-${id}`])
    const open = reconciled(again, of('120', [PODS], viewOf('13', 4)), { isSettled: true }, true)
    expect([total(open), open.settling]).toEqual(['4', ''])
    // Where nothing was reserved, the limits of a pool come and go without a wait.
    const idle = reconciled(open, of('120', []), {}, true)
    expect([idle.parts.size, idle.settling]).toEqual([0, ''])
    expect(reconciled(idle, of('140', [PODS]), {}, true).settling).toBe('')
  })

  test('is decided on at once where its quota was widened before it was counted, or never since', () => {
    const later = views(viewOf('12', 3), { generation: 3, widenedAt: 1 })
    expect(closedForWidening(state, later)).toBe(state)
    expect(isDecidable(fold(state, later), later)).toBe(true)
    const first = views(viewOf('12', 3), { generation: 3, widenedAt: 3 })
    expect(closedForWidening(EMPTY_LEDGER, first)).toBe(EMPTY_LEDGER)
  })

  test('of a quota without generations has the parts of its limits as the leader says, and is closed where a spec added one', () => {
    const of = (widenedBy: string, limits: readonly string[]): LedgerViews =>
      views(viewOf('12', 3), {
        kinds: new Map(limits.map((limit) => [limit, viewOf('12', 3)])),
        unnumbered: { has: (part) => limits.includes(part), widenedBy },
      })
    const both = of('99', [PODS, SERVICES])
    const unled = fold(state, both)
    expect([[...unled.parts.keys()], unled.settling, isDecidable(unled, both)]).toEqual([[PODS], '', false])
    const closed = closedForWidening(state, both)
    expect([closed.settling, isDecidable(fold(closed, both), both)]).toEqual(['widened-99', true])
    expect(closedForWidening(fold(closed, both), both).parts).toEqual(fold(closed, both).parts)
    // A kind that is served from now on costs nothing so far.
    const served = of('', [PODS, SERVICES])
    expect(closedForWidening(state, served)).toMatchObject({ settling: '' })
    expect(isDecidable(fold(closedForWidening(state, served), served), served)).toBe(true)
    // A limit that went and comes back is one that is added.
    const gone = closedForWidening({ ...fold(closed, both), settling: '' }, of('99', [PODS]))
    expect([[...gone.parts.keys()], gone.settling]).toEqual([[PODS], ''])
    expect(closedForWidening(gone, of('120', [PODS, SERVICES])).settling).toBe('widened-120')
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
  const request = (uid: string, base: string) => ({ uid, base, cost: Quantity.of(1), id: 'c', isShared: false })
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
