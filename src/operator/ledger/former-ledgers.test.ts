import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { quantityLedger, type QuantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import type { LedgerViews, Sight } from '../../charges/ledger/kind-view.ts'
import { EMPTY_LEDGER, type LedgerState, nameKey } from '../../charges/ledger/ledger-state.ts'
import { ledgerText } from '../../charges/ledger/ledger-text.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { FormerLedgers } from './former-ledgers.ts'

const PLACE = { namespace: 'n', name: 'q' }
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

function ledger(state: LedgerState | undefined, text = state && ledgerText(state)): QuantityLedger {
  return quantityLedger.read({
    apiVersion: quantityLedger.apiVersion,
    kind: quantityLedger.kind,
    metadata: { namespace: 'n', name: 'q' },
    spec: { targetRef: { apiGroup: 'capsule.clastix.io', kind: 'CustomQuota', name: 'q', namespace: 'n', uid: 'u' } },
    ...(text === undefined ? {} : { status: { outstanding: text } }),
  })
}

function setUp(...gone: readonly QuantityLedger[]) {
  const clock = new ManualClock()
  const handlers: ((old: QuantityLedger | undefined, current: QuantityLedger | undefined) => void)[] = []
  const onChange = (handler: (typeof handlers)[number]) => {
    handlers.push(handler)
    return () => undefined
  }
  const former = new FormerLedgers({
    ledgers: { view: { onChange } as never, isForeign: ({ status }) => status?.outstanding === 'not ours' },
    clock,
    patience: PATIENCE,
  })
  const change = (old: QuantityLedger, current?: QuantityLedger): void => {
    for (const handler of handlers) handler(old, current)
  }
  for (const one of gone) change(one)
  return { clock, former, change }
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
  const { clock, former } = setUp(ledger(RESERVED), ledger(EMPTY_LEDGER))
  const awaited = (seen: LedgerViews | undefined) => former.mayStillStore(PLACE, seen)
  expect(awaited(undefined)).toBe(true)
  expect(awaited(views('/v1/Pod'))).toBe(true)
  expect(awaited(views('/v2/Pod'))).toBe(true)
  expect(awaited(views('/v1/Service'))).toBe(false)
  expect(awaited(views('/v2/Pod', { version: '8', isGone: false }))).toBe(false)
  expect(former.mayStillStore({ ...PLACE, name: 'other' }, views('/v1/Pod'))).toBe(false)
  await clock.advance(PATIENCE - 1)
  expect(awaited(views('/v1/Pod'))).toBe(true)
  await clock.advance(1)
  expect(awaited(views('/v1/Pod'))).toBe(false)
})

test.for([
  ['was closed itself', ledger({ ...EMPTY_LEDGER, settling: 's' }), true],
  ['is of another form', ledger(undefined, '9%?'), true],
  ['holds nothing', ledger(EMPTY_LEDGER), false],
  ['was never written', ledger(undefined), false],
  ['somebody else wrote', ledger(undefined, 'not ours'), true],
] as const)('a ledger that went and that %s closes the next one: %#', ([, gone, isClosed]) => {
  expect(setUp(gone).former.mayStillStore(PLACE, views('/v1/Pod'))).toBe(isClosed)
})

test('a ledger that somebody empties is remembered like one that went', () => {
  const { former, change } = setUp()
  change(ledger(EMPTY_LEDGER), ledger(RESERVED))
  expect(former.mayStillStore(PLACE, views('/v1/Pod'))).toBe(false)
  change(ledger(RESERVED), ledger(undefined))
  change(ledger(undefined), ledger(undefined))
  expect(former.mayStillStore(PLACE, views('/v1/Pod'))).toBe(true)
})
