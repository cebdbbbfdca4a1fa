import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, PODS } from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { isShort, LEDGER_BOUNDS, LedgerSize, sizeOf, sizeOfRequest } from './ledger-size.ts'
import { EMPTY_LEDGER, type OutstandingName } from './ledger-state.ts'
import { ledgerText } from './ledger-text.ts'
import { MOST_REMEMBERED } from './namespace-share.ts'

const bytesOf = (text: string): number =>
  new TextEncoder().encode(JSON.stringify(text).replaceAll(/[<>&]/g, String.raw`\u003c`)).length

const outstanding = (namespace: string, name: string, count = 1): OutstandingName => ({
  kind: PODS,
  namespace,
  name,
  contained: Quantity.zero,
  reservations: Array.from({ length: count }, (_, at) => ({
    uid: `00000000-0000-0000-0000-00000000000${at}`,
    base: '123456789',
    cost: Quantity.parse('1500m'),
    id: `abcdef${at}`,
    isShared: at === 1,
  })),
})

const texts = fc.oneof(
  fc.string({ maxLength: 253 }),
  fc.constantFrom('~'.repeat(253), '<'.repeat(253), 'ä'.repeat(90), 'x'.repeat(253)),
)

test('a name never takes more of a ledger than is counted for it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts, fc.integer({ min: 1, max: 4 })), { maxLength: 8 }), (names) => {
      const state = {
        ...EMPTY_LEDGER,
        names: new Map(names.map(([namespace, name, count], at) => [String(at), outstanding(namespace, name, count)])),
      }
      const counted = [...state.names.values()].reduce((sum, name) => sum + sizeOf(name), 0)
      const empty = ledgerText({ ...state, names: new Map() })
      expect(bytesOf(ledgerText(state)) - bytesOf(empty)).toBeLessThanOrEqual(counted + PODS.length + 16)
      for (const [namespace, name] of names) {
        const request = { ...creating(name, 'u', 1), namespace }
        expect(sizeOfRequest(request)).toBeGreaterThan(name.length + namespace.length)
      }
    }),
  )
})

describe('the bytes of a ledger', () => {
  const bounds = { share: 100, shares: 1000, beyond: 300 }
  const requests = fc.array(
    fc.record({
      /** Ten namespaces are as many as there are shares. The last one is honest. */
      namespace: fc.integer({ min: 0, max: 9 }).map(String),
      bytes: fc.integer({ min: 1, max: 130 }),
      /** It gives back what it has: its requests were stored. */
      isStored: fc.boolean(),
    }),
    { maxLength: 200 },
  )

  test('never pass their bounds, and a namespace below its share is let in whatever others have', () => {
    fc.assert(
      fc.property(requests, (asked) => {
        const size = new LedgerSize(EMPTY_LEDGER, bounds)
        const held = new Map<string, number>()
        for (const { namespace, bytes, isStored } of asked) {
          const before = held.get(namespace) ?? 0
          const has = size.hasRoom(namespace, bytes)
          if (before + bytes <= bounds.share) expect(has).toBe(true)
          if (has) {
            size.add(namespace, bytes)
            held.set(namespace, before + bytes)
          }
          if (isStored && namespace === '9') {
            size.add(namespace, -(held.get(namespace) ?? 0))
            held.delete(namespace)
          }
          const total = [...held.values()].reduce((sum, one) => sum + one, 0)
          expect(total).toBeLessThanOrEqual(bounds.shares + bounds.beyond)
          expect(size.in(namespace)).toBe(held.get(namespace) ?? 0)
        }
      }),
    )
  })

  test('are not looked at where a ledger is short, and a short one passes no bound', () => {
    const { shares, beyond } = LEDGER_BOUNDS
    expect(isShort(beyond / 4, LEDGER_BOUNDS)).toBe(true)
    expect(isShort(beyond / 4 + 1, LEDGER_BOUNDS)).toBe(false)
    expect((6 * beyond) / 4).toBeLessThan(shares + beyond)
  })
})

/** As long as Kubernetes has names. */
const long = (text: string): string => text.padEnd(250, 'x')
/** As many as one namespace may have at once. */
const ROUND = 256

test('requests that are never stored fill a ledger to its bound, and an honest namespace is let in beside them', async () => {
  const { ledger, store, server, views, time } = setUp(1_000_000, { namespace: '' })
  await ledger.open('')
  const create = (namespace: string, name: string) =>
    outcome(ledger.reserve([{ ...creating(name, `u-${namespace}-${name}`, 1), namespace }], LATER))
  const stored = (): number => bytesOf(store.read()?.status?.outstanding ?? '')
  const most = LEDGER_BOUNDS.shares + LEDGER_BOUNDS.beyond
  const refused: string[] = []
  for (let hostile = 0; hostile < 30; hostile++) {
    const namespace = long(`hostile-${hostile}`).slice(0, 63)
    const answers = await Promise.all(Array.from({ length: ROUND }, (_, at) => create(namespace, long(`h${at}`))))
    if (answers.includes('429')) refused.push(namespace)
    expect(stored()).toBeLessThan(most)
    // An honest namespace has a few requests at a time, which are stored.
    const own = await Promise.all(Array.from({ length: 5 }, (_, at) => create('honest', long(`o${hostile}-${at}`))))
    expect([hostile, own]).toEqual([hostile, Array.from({ length: 5 }, () => 'allowed')])
    for (const at of own.keys()) server.put(long(`o${hostile}-${at}`), `u-honest-${long(`o${hostile}-${at}`)}`, 1)
    views.see()
  }
  expect(refused.length).toBeGreaterThan(20)
  expect(stored()).toBeGreaterThan(LEDGER_BOUNDS.beyond)
  // All of it goes when the time of the requests is over.
  time.now = PATIENCE
  await ledger.reconcile()
  expect(stored()).toBeLessThan(20_000)
})

test('a ledger remembers the lapses of so many namespaces, and forgets the oldest', async () => {
  const { ledger, store, time } = setUp(1_000_000, { namespace: '' })
  await ledger.open('')
  for (let first = 0; first <= MOST_REMEMBERED; first += ROUND) {
    await Promise.all(
      Array.from({ length: ROUND }, (_, at) =>
        ledger.reserve([{ ...creating('a', `u${first + at}`, 1), namespace: `n${first + at}` }], Infinity),
      ),
    )
    time.now += PATIENCE
    await ledger.reconcile()
  }
  const { outstanding: text = '' } = store.read()?.status ?? {}
  expect(text.match(/%l\//g)).toHaveLength(MOST_REMEMBERED)
  expect(text.match(/%W\//g)).toHaveLength(MOST_REMEMBERED)
  expect(text).not.toContain('%l/n0/')
})
