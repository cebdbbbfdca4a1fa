import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../../../quantity/quantity.ts'
import { formatResourceList } from '../../../quantity/resource-list.ts'
import { EMPTY_LEDGER, type LedgerState, nameKey, type OutstandingName } from './ledger-state.ts'
import { compactUid, fullUid, LedgerTextError, ledgerText, readLedgerText } from './ledger-text.ts'

const UID = '7f3c9a1e-0b4d-4f6a-9c21-5e8d7a6b4c30'
const anyText = fc.oneof(fc.string(), fc.constantFrom('', '%', '/', '~', '!', '~p', '!abc', '*'))
const amount = fc.integer({ min: -5000, max: 5000 }).map((value) => Quantity.ofScaled(BigInt(value), -3))

const part = fc.record({ generation: fc.nat(), selection: anyText, revision: anyText, observed: amount })
const reservation = fc.record({
  uid: fc.oneof(fc.uuid(), anyText),
  base: anyText,
  cost: amount,
  id: anyText,
  isShared: fc.boolean(),
})
const name = fc.record({
  kind: fc.constantFrom('/v1/Pod', 'apps/v1/Deployment'),
  // As no namespace is called: advances are written there.
  namespace: anyText.filter((text) => text !== '+'),
  name: anyText,
  contained: amount,
  reservations: fc.array(reservation, { minLength: 1, maxLength: 3 }),
})
const advance = fc.record({
  kind: fc.constantFrom('/v1/Pod', 'apps/v1/Deployment'),
  owner: anyText,
  id: anyText,
  amount: amount.filter((one) => one.sign() > 0),
})
const ledger: fc.Arbitrary<LedgerState> = fc
  .record({
    parts: fc.dictionary(fc.constantFrom('/v1/Pod', 'apps/v1/Deployment'), part),
    names: fc.array(name, { maxLength: 5 }),
    advances: fc.array(advance, { maxLength: 2 }),
    lapses: fc.dictionary(fc.string(), fc.nat(), { noNullPrototype: true }),
    waits: fc.dictionary(fc.string(), fc.record({ strikes: fc.nat(), rounds: fc.nat() }), { noNullPrototype: true }),
    settling: anyText,
    lowering: fc.option(
      fc.record({
        generation: fc.nat(),
        since: anyText,
        limits: fc.dictionary(fc.constantFrom('amount', 'a/b%c', 'pods'), amount, {
          minKeys: 1,
          noNullPrototype: true,
        }),
      }),
      { nil: undefined },
    ),
    extensions: fc.array(fc.constantFrom('Xnew/1', 'Y'), { maxLength: 2 }),
  })
  .map(({ parts, names, advances, lapses, waits, ...rest }) => ({
    ...rest,
    parts: new Map(Object.entries(parts)),
    names: new Map(names.map((one) => [nameKey(one.kind, one.namespace, one.name), one])),
    advances: new Map(advances.map((one) => [one.owner, one])),
    lapses: new Map(Object.entries(lapses)),
    waits: new Map(Object.entries(waits)),
  }))

/** Quantities as they print, the rest as it is. */
const plain = ({ parts, names, advances, lowering, ...rest }: LedgerState) => ({
  ...rest,
  lowering: lowering && { ...lowering, limits: formatResourceList(lowering.limits) },
  parts: Object.fromEntries([...parts].map(([kind, one]) => [kind, { ...one, observed: one.observed.toString() }])),
  names: Object.fromEntries([...names].map(([key, one]) => [key, plainName(one)])),
  advances: [...advances.values()].map(({ amount: held, ...one }) => ({ ...one, amount: held.toString() })),
})
const plainName = ({ contained, reservations, ...rest }: OutstandingName) => ({
  ...rest,
  contained: contained.toString(),
  reservations: reservations.map(({ cost, ...one }) => ({ ...one, cost: cost.toString() })),
})

describe('the text of a ledger', () => {
  test('holds all of it, whatever the texts are', () => {
    fc.assert(
      fc.property(ledger, (state) => {
        expect(plain(readLedgerText(ledgerText(state)))).toEqual(plain(state))
      }),
    )
  })

  test('takes some fifty bytes for each reservation', () => {
    const names = Array.from({ length: 1000 }, (_, index): OutstandingName => ({
      kind: '/v1/Pod',
      namespace: 'tenant-a',
      name: `web-7d4b9c6f5-${String(index).padStart(5, 'x')}`,
      contained: Quantity.zero,
      reservations: [{ uid: UID, base: '', cost: Quantity.of(1), id: `k3${index}`, isShared: false }],
    }))
    const state = {
      ...EMPTY_LEDGER,
      names: new Map(names.map((one) => [nameKey(one.kind, one.namespace, one.name), one])),
    }
    expect(JSON.stringify(ledgerText(state)).length / 1000).toBeLessThan(60)
  })

  test('has room held ahead in the form that earlier versions read and write', () => {
    const text = '1%p/1//10/0/~sv1~sPod%n/0/ns%o/web/0/u1//1/c1%n/0/+%o/replica/0/replica+1//5/replica+1'
    const state = readLedgerText(text)
    expect([...state.names.values()].map(({ name: known }) => known)).toEqual(['web'])
    expect(plain(state).advances).toEqual([{ kind: '/v1/Pod', owner: 'replica', id: 'replica+1', amount: '5' }])
    expect(ledgerText(state)).toBe(text)
    // They write it before the names that are newer.
    expect(plain(readLedgerText(`${text}%n/0/ns%o/new/0/u2//1/c2`)).advances).toEqual(plain(state).advances)
  })

  test('of a later form is refused, and says what to do', () => {
    expect(() => readLedgerText('2%z/1')).toThrow(
      /has the form "2", and this version of allot reads 1: run the version/,
    )
  })

  test.each([
    ['p/1/2', /damaged/],
    ['p/x//1/2/k', /damaged/],
    ['n/0/ns', /damaged/],
    ['o/a/0/u//1/c', /damaged/],
    ['p////k%n/0/ns%o/a/0/u//1', /damaged/],
    ['p////k%n/0/ns%o/a/0', /damaged/],
    ['p////k%n/0/ns%o/a/0/u//one/c', /damaged/],
    ['l/ns/-1', /damaged/],
    ['z/1', /does not know/],
    ['', /does not know/],
  ])('that is damaged is refused: %s', (text, message) => {
    expect(() => readLedgerText(`1%${text}`)).toThrow(message)
    expect(() => readLedgerText(`1%${text}`)).toThrow(LedgerTextError)
  })

  test('cut or changed anywhere it is refused or read, and nothing else is thrown', () => {
    const text = '1%p/3/17/99/2500m/~sv1~sPod%s/x%l/b/3%n/0/b%o/pod-a/0/u1//1/c1/u2/98/2*/c2%Xnew/1'
    expect(ledgerText(readLedgerText(text))).toBe(text)
    fc.assert(
      fc.property(fc.nat(text.length), fc.string({ maxLength: 3 }), fc.nat(4), (at, put, drop) => {
        try {
          readLedgerText(text.slice(0, at) + put + text.slice(at + drop))
        } catch (error) {
          expect(error).toBeInstanceOf(LedgerTextError)
        }
      }),
    )
  })

  test('keeps what a later version added in the same form', () => {
    expect(ledgerText(readLedgerText('1%Xnew/1'))).toBe('1%Xnew/1')
  })
})

test('a uid comes back from its compact form', () => {
  fc.assert(
    fc.property(fc.uuid(), (uid) => {
      expect(fullUid(compactUid(uid))).toBe(uid)
    }),
  )
  expect(compactUid(UID)).toHaveLength(23)
})
