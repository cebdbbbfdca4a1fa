import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { withAdvance } from '../protocol/advance.ts'
import type { LedgerViews, Sight } from '../protocol/kind-view.ts'
import { EMPTY_LEDGER, type LedgerState, nameKey } from '../protocol/ledger-state.ts'
import type { LedgerStatus } from '../protocol/ledger-status.ts'
import { ledgerText } from '../protocol/ledger-text.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { FormerLedgers, type FormerLedgersOptions } from './former-ledgers.ts'

const KEY = 'n/q'
const PATIENCE = 65_000
const UID = '11111111-2222-4333-8444-555555555555'

const RESERVED: LedgerState = {
  ...EMPTY_LEDGER,
  names: new Map([
    [
      nameKey('/v1/Pod', 'n', 'a'),
      {
        kind: '/v1/Pod',
        namespace: 'n',
        name: 'a',
        contained: Quantity.zero,
        reservations: [{ uid: UID, base: '', cost: Quantity.of(1), id: 'c', isShared: false }],
      },
    ],
  ]),
}

const COUNTED: LedgerState = {
  ...EMPTY_LEDGER,
  parts: new Map([['/v1/Service', { generation: 1, selection: '', revision: '8', observed: Quantity.zero }]]),
}
const AHEAD = withAdvance(COUNTED, { owner: 'o', id: 'c', amount: Quantity.of(1) })

const status = (state: LedgerState): LedgerStatus => ({ outstanding: ledgerText(state) })

function setUp(gone: readonly (LedgerStatus | undefined)[], options: Partial<FormerLedgersOptions> = {}) {
  const clock = new ManualClock()
  const handlers: Parameters<FormerLedgersOptions['ledgers']['onGone']>[0][] = []
  const onGone = (handler: (typeof handlers)[number]) => handlers.push(handler)
  const former = new FormerLedgers({ ledgers: { onGone }, clock, patience: PATIENCE, ...options })
  const leave = (one: LedgerStatus | undefined, isForeign = false): void => {
    for (const handler of handlers) handler(KEY, one, isForeign)
  }
  for (const one of gone) leave(one)
  return { clock, former, gone: leave }
}

const views = (kind: string, sight?: Sight | ((uid: string) => Sight | undefined)): LedgerViews => ({
  generation: 1,
  selection: '',
  kinds: new Map([
    [
      kind,
      {
        revision: '9',
        newest: '9',
        total: Quantity.zero,
        get: () => undefined,
        lastSight: (_, __, uid) => (typeof sight === 'function' ? sight(uid) : sight),
      },
    ],
  ]),
})

test('the reservations of a ledger that went are awaited until their time is over, or the new count shows their objects', async () => {
  // Another ledger that goes later with nothing reserved does not make the reservations forgotten.
  const { clock, former } = setUp([status(RESERVED), status(EMPTY_LEDGER)])
  const awaited = (seen: LedgerViews | undefined) => former.mayStillStore(KEY, seen)
  expect(awaited(undefined)).toBe(true)
  expect(awaited(views('/v1/Pod'))).toBe(true)
  expect(awaited(views('/v2/Pod'))).toBe(true)
  expect(awaited(views('/v1/Service'))).toBe(false)
  expect(awaited(views('/v2/Pod', { version: '8', isGone: false }))).toBe(false)
  expect(former.mayStillStore('n/other', views('/v1/Pod'))).toBe(false)
  await clock.advance(PATIENCE - 1)
  expect(awaited(views('/v1/Pod'))).toBe(true)
  await clock.advance(1)
  expect(awaited(views('/v1/Pod'))).toBe(false)
})

test('reservations are awaited in all parts that count the same objects, where ledgers have such', async () => {
  const { former } = setUp([status(RESERVED)], { shareObjects: () => true })
  expect(former.mayStillStore(KEY, views('other'))).toBe(true)
  expect(former.mayStillStore(KEY, views('other', { version: '8', isGone: false }))).toBe(false)
})

test.for([
  // It does not name the requests that may have been allowed on it.
  ['holds an amount ahead of requests', status(AHEAD), true],
  ['was closed itself', status({ ...EMPTY_LEDGER, settling: 's' }), true],
  ['is of another form', { outstanding: '9%?' }, true],
  ['holds nothing', status(EMPTY_LEDGER), false],
  ['was never written', undefined, false],
] as const)('a ledger that went and that %s closes the next one: %#', ([, gone, isClosed]) => {
  expect(setUp([gone]).former.mayStillStore(KEY, views('/v1/Pod'))).toBe(isClosed)
})

test('a ledger that somebody else than allot wrote last closes the next one', () => {
  const { former, gone } = setUp([])
  gone(status(EMPTY_LEDGER), true)
  expect(former.mayStillStore(KEY, views('/v1/Pod'))).toBe(true)
})

test('former ledgers are awaited as long as the new count has not shown the end of each reservation of each of them', () => {
  const uid = (index: number): string => `11111111-2222-4333-8444-${String(index).padStart(12, '0')}`
  const reservations = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 })
  const ledgers = fc.array(fc.array(reservations, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(ledgers, (went) => {
      const shown = new Set<string>()
      let count = 0
      const reserved = (isShown: boolean) => {
        const one = { uid: uid(count++), base: '', cost: Quantity.of(1), id: `c${count}`, isShared: false }
        if (isShown) shown.add(one.uid)
        return one
      }
      const named = (all: readonly boolean[], index: number) => ({
        kind: '/v1/Pod',
        namespace: 'n',
        name: `a${index}`,
        contained: Quantity.zero,
        reservations: all.map(reserved),
      })
      const states = went.map((names) => ({
        ...EMPTY_LEDGER,
        names: new Map(names.map(named).map((one) => [nameKey(one.kind, 'n', one.name), one])),
      }))
      const { former } = setUp(states.map(status))
      const seen = views('/v1/Pod', (one) => (shown.has(one) ? { version: '8', isGone: false } : undefined))
      // A create that is still to be stored would take room that the new quota gives away.
      expect(former.mayStillStore(KEY, seen)).toBe(shown.size < count)
    }),
  )
})

test('a ledger that another program wrote and that went with reservations closes the next one', () => {
  const reservation = {
    id: 'r',
    usage: '1',
    objectRef: { apiVersion: 'v1', kind: 'Pod' },
    createdAt: '',
    updatedAt: '',
  }
  expect(setUp([{ reservations: [reservation] }]).former.mayStillStore(KEY, views('/v1/Pod'))).toBe(true)
})
