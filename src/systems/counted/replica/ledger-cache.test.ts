import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sealBy } from '../../../../test/operator/ledger-seals.ts'
import { ScriptedClient } from '../../../../test/kube/scripted-client.ts'
import { customQuota } from '../../custom-quota/api/custom-quota.ts'
import { quantityLedger, type QuantityLedger } from '../api/quantity-ledger.ts'
import { EMPTY_LEDGER } from '../protocol/ledger-state.ts'
import { ledgerText } from '../protocol/ledger-text.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { LedgerSeal } from '../../../operator/cluster/ledger-seal.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import { LedgerCache } from './ledger-cache.ts'

const QUOTA = customQuota.read({
  apiVersion: customQuota.apiVersion,
  kind: customQuota.kind,
  metadata: { namespace: 'n', name: 'q', uid: 'u' },
  spec: { limit: 1, sources: [] },
})
const PLACE = { namespace: 'n', name: 'q' }
const EMPTY = ledgerText(EMPTY_LEDGER)
const SETTLING = ledgerText({ ...EMPTY_LEDGER, settling: 's' })
const LAPSED = ledgerText({ ...EMPTY_LEDGER, lapses: new Map([['n', 1]]) })

type Handler = (old: QuantityLedger | undefined, current: QuantityLedger | undefined) => void

/** The ledgers of a replica that sees nothing but what it is shown. */
function replica(client: ScriptedClient, seal = sealBy()) {
  const handlers: Handler[] = []
  let known: QuantityLedger | undefined
  const see = (object: KubeObject): void => {
    const [old, current] = [known, quantityLedger.read(object)]
    known = current
    for (const handler of handlers) handler(old, current)
  }
  const view = {
    get: () => known,
    observed: see,
    onChange: (handler: Handler) => void handlers.push(handler),
  } as unknown as CacheView<QuantityLedger>
  const ledgers = new LedgerCache({ client, caches: { view: () => view } as never, systemNamespace: 'system', seal })
  const now = (): QuantityLedger => {
    const ledger = ledgers.get(QUOTA)
    if (ledger === undefined) throw new Error('there is no ledger')
    return ledger
  }
  return {
    ledgers,
    now,
    write: (text: string) => ledgers.writeStatus(now(), { outstanding: text }, {}),
    see: async () => see(await client.get(quantityLedger, PLACE)),
    show: see,
    isForeign: () => ledgers.isForeign(now()),
  }
}

async function setUp() {
  const client = new ScriptedClient(quantityLedger)
  const seal = sealBy()
  const [one, other] = [replica(client, seal), replica(client, seal)]
  await one.ledgers.create(QUOTA, {})
  await one.write(EMPTY)
  await other.see()
  const text = async (): Promise<string> =>
    (await client.get<QuantityLedger>(quantityLedger, PLACE)).status?.outstanding ?? ''
  /** As somebody who got past the webhook. */
  const tamper = async (outstanding: string): Promise<void> => {
    await client.patch(
      quantityLedger,
      PLACE,
      { type: 'merge', body: { status: { outstanding } } },
      { subresource: 'status' },
    )
    await one.see()
    await other.see()
  }
  return { client, seal, one, other, text, tamper }
}

describe('the text of a ledger', () => {
  test('is that of any replica, and of nobody else', async () => {
    const { one, other, tamper, text } = await setUp()
    expect(other.ledgers.stored(other.now())).toEqual({
      version: expect.any(String),
      status: { outstanding: EMPTY },
    })
    await tamper((await text()).replace(EMPTY, LAPSED))
    for (const { ledgers, now } of [one, other])
      expect(ledgers.stored(now())).toMatchObject({ status: { outstanding: '' }, isForeign: true })
  })

  test('is not an earlier one that somebody puts back, nor what a replica writes on that without noticing', async () => {
    const { client, seal, one, other, text, tamper } = await setUp()
    const earlier = await text()
    await one.write(LAPSED)
    await other.see()
    expect(other.isForeign()).toBe(false)
    await tamper(earlier)
    expect([one.isForeign(), other.isForeign()]).toEqual([true, true])
    const late = replica(client, seal)
    await late.see()
    await late.write(EMPTY)
    await one.see()
    expect(one.isForeign()).toBe(true)
    // Whatever was allowed is awaited then.
    await one.write(SETTLING)
    await other.see()
    expect([one.isForeign(), other.isForeign()]).toEqual([false, false])
    await one.write(EMPTY)
    expect(one.isForeign()).toBe(false)
  })

  test('is that of this quota whatever the ledger says, and not that of an earlier quota of the name', async () => {
    const { client, one } = await setUp()
    const body = { spec: { targetRef: { name: 'other', uid: 'other' } }, metadata: { labels: null } }
    await client.patch(quantityLedger, PLACE, { type: 'merge', body })
    await one.see()
    const remade = { ...QUOTA, metadata: { ...QUOTA.metadata, uid: 'later' } }
    expect([one.ledgers.isTaken(QUOTA), one.ledgers.isSealedFor(QUOTA), one.ledgers.isSealedFor(remade)]).toEqual([
      true,
      true,
      false,
    ])
    const ledger = one.ledgers.at(QUOTA) as QuantityLedger
    expect(one.ledgers.isMarked(ledger, QUOTA)).toBe(false)
    await one.ledgers.mark(ledger, QUOTA, {})
    expect(one.ledgers.isMarked(one.now(), QUOTA)).toBe(true)
    expect(one.isForeign()).toBe(false)
  })

  test('says nothing to a quota that was made again under the name, whose ledger has to be another', async () => {
    const { one, other } = await setUp()
    const remade = { ...QUOTA, metadata: { ...QUOTA.metadata, uid: 'later' } }
    for (const { ledgers } of [one, other]) {
      expect(await ledgers.readLive(remade, {})).toBeUndefined()
      expect([ledgers.get(remade), ledgers.isTaken(remade)]).toEqual([undefined, true])
      expect([ledgers.get(QUOTA) !== undefined, ledgers.isTaken(QUOTA)]).toEqual([true, false])
    }
  })

  test('is not that of a quota that it does not name by its uid, once allot has written it', async () => {
    const { client, one } = await setUp()
    await client.patch(quantityLedger, PLACE, { type: 'merge', body: { spec: { targetRef: { uid: null } } } })
    await one.see()
    expect([one.ledgers.get(QUOTA), one.ledgers.isTaken(QUOTA)]).toEqual([undefined, true])
    // Another program that made it need not name the uid.
    await client.patch(
      quantityLedger,
      PLACE,
      { type: 'merge', body: { status: { outstanding: '' } } },
      { subresource: 'status' },
    )
    await one.see()
    expect([one.now().status?.outstanding, one.ledgers.isTaken(QUOTA)]).toEqual(['', false])
  })

  test('is read again by the key that replicas share now', async () => {
    const { client, text } = await setUp()
    const [before, now] = [randomBytes(32), randomBytes(32)]
    let shared = before
    let time = 0
    const seal = new LedgerSeal(before, () => Promise.resolve(shared), { monotonic: () => time })
    const late = replica(client, seal)
    await late.see()
    await client.patch(
      quantityLedger,
      PLACE,
      { type: 'merge', body: { status: { outstanding: '' } } },
      { subresource: 'status' },
    )
    await late.see()
    await late.write(EMPTY)
    expect([await text(), late.isForeign()]).toEqual([expect.stringContaining(EMPTY), false])
    // The Secret was lost, and another replica has made a key.
    shared = now
    time = 60_000
    await seal.refresh()
    expect(late.isForeign()).toBe(true)
    const next = replica(client, sealBy(now))
    await next.see()
    await next.write(SETTLING)
    await late.see()
    expect(late.isForeign()).toBe(false)
  })

  test('is judged by the shared key once a replica reads a ledger that seems to be of somebody else', async () => {
    const { client } = await setUp()
    const [before, now] = [randomBytes(32), randomBytes(32)]
    let time = 0
    const late = replica(client, new LedgerSeal(before, () => Promise.resolve(now), { monotonic: () => time }))
    const next = replica(client, sealBy(now))
    await next.see()
    await next.write(SETTLING)
    await late.see()
    expect(late.isForeign()).toBe(true)
    time = 60_000
    await late.ledgers.readLive(QUOTA, {})
    expect(late.isForeign()).toBe(false)
  })

  test('does not count as put back where a list shows an earlier state than the watch did', async () => {
    const { client, one } = await setUp()
    await one.write(LAPSED)
    const earlier = await client.get<QuantityLedger>(quantityLedger, PLACE)
    await one.write(EMPTY)
    one.show(earlier)
    expect(one.isForeign()).toBe(false)
  })

  test('that somebody put back is not that of the quota, whatever seal it has', async () => {
    const { one, text, tamper } = await setUp()
    const earlier = await text()
    await one.write(LAPSED)
    expect(one.ledgers.isSealedFor(QUOTA)).toBe(true)
    await tamper(earlier)
    expect(one.ledgers.isSealedFor(QUOTA)).toBe(false)
  })

  test('of a deleted ledger is not that of the next one', async () => {
    const { client, seal, one, text } = await setUp()
    const earlier = await text()
    await one.ledgers.delete(one.now(), {})
    await one.ledgers.create(QUOTA, {})
    await client.patch(
      quantityLedger,
      PLACE,
      { type: 'merge', body: { status: { outstanding: earlier } } },
      { subresource: 'status' },
    )
    // It has not seen what was there before.
    const late = replica(client, seal)
    await late.see()
    expect([late.isForeign(), late.ledgers.isSealedFor(QUOTA)]).toEqual([true, false])
  })

  test('is reported with its place when it goes or somebody empties it', async () => {
    const { one, tamper } = await setUp()
    const gone: unknown[] = []
    one.ledgers.onGone((...report) => gone.push(report))
    await one.write(LAPSED)
    expect(gone).toEqual([])
    await tamper('')
    const place = one.ledgers.placeKey(QUOTA)
    expect(gone).toMatchObject([['n/q', { outstanding: expect.stringContaining(LAPSED) }, false]])
    expect(place).toBe('n/q')
    await tamper('')
    expect(gone).toHaveLength(1)
  })
})

describe('the marks of a ledger', () => {
  test.for([
    ['the group of its quota', { spec: { targetRef: { apiGroup: 'other.io' } } }],
    ['the kind of its quota', { spec: { targetRef: { kind: 'GlobalCustomQuota' } } }],
    ['the uid of its quota', { spec: { targetRef: { uid: null } } }],
    ['its owner, with which it is deleted', { metadata: { ownerReferences: null } }],
    [
      'the uid of its owner',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'x' }] } },
    ],
    ['its label', { metadata: { labels: null } }],
  ] as const)('are made again where somebody changed %s', async ([, body]) => {
    const { client, one } = await setUp()
    expect(one.ledgers.isMarked(one.now(), QUOTA)).toBe(true)
    await client.patch(quantityLedger, PLACE, { type: 'merge', body })
    await one.see()
    const changed = one.ledgers.at(QUOTA) as QuantityLedger
    expect(one.ledgers.isMarked(changed, QUOTA)).toBe(false)
    await one.ledgers.mark(changed, QUOTA, {})
    expect(one.ledgers.isMarked(one.now(), QUOTA)).toBe(true)
  })

  test('are not made again on a ledger that has changed since, and neither does it lose its managers', async () => {
    const { client, one } = await setUp()
    const before = one.now()
    await client.patch(quantityLedger, PLACE, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    await expect(one.ledgers.mark(before, QUOTA, {})).rejects.toThrow('the object has been modified')
    await expect(one.ledgers.untrack(before)).rejects.toThrow('the object has been modified')
  })
})

test('a ledger is deleted only where it is that very one, and where it is gone that is all right', async () => {
  const { client, one } = await setUp()
  const before = one.now()
  client.remove(PLACE)
  await one.ledgers.delete(before, {})
  await one.ledgers.create(QUOTA, {})
  // Requests may have been allowed on the next ledger of the name.
  await one.ledgers.delete(before, {})
  expect(client.state.size).toBe(1)
  await one.ledgers.delete(one.now(), {})
  expect(client.state.size).toBe(0)
})
