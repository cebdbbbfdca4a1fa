import { describe, expect, test } from 'vitest'
import { sealBy } from '../../../test/operator/ledger-seals.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import { customQuota } from '../../api/custom-quota/custom-quota.ts'
import { quantityLedger, type QuantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import { EMPTY_LEDGER } from '../../charges/ledger/ledger-state.ts'
import { ledgerText } from '../../charges/ledger/ledger-text.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { CacheView } from '../shell/shared-watch.ts'
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
