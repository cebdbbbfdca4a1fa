import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import type { LedgerViews, Sight } from '../../charges/ledger/kind-view.ts'
import { EMPTY_LEDGER, type LedgerState, nameKey } from '../../charges/ledger/ledger-state.ts'
import type { LedgerStatus } from '../../charges/ledger/ledger-status.ts'
import { ledgerText } from '../../charges/ledger/ledger-text.ts'
import { Quantity } from '../../quantity/quantity.ts'
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
        reservations: [{ uid: UID, base: '', cost: Quantity.of(1), claim: 'c', isShared: false }],
      },
    ],
  ]),
}

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

const views = (kind: string, sight?: Sight): LedgerViews => ({
  generation: 1,
  selection: '',
  kinds: new Map([
    [kind, { revision: '9', newest: '9', total: Quantity.zero, get: () => undefined, lastSight: () => sight }],
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
