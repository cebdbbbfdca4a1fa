import { expect, test } from 'vitest'
import { ManualClock } from '../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../test/kube/scripted-client.ts'
import { SECRETS } from '../kube/webhook-certificates/webhook-certificate-secret.ts'
import { LEDGER_KEY_SECRET } from '../install/installed-names.ts'
import { openLedgerSeal } from './ledger-key.ts'

const OWNER = 'u/CustomQuota/n/q/v'
const WRITTEN = { text: '1', base: '17' }
const PLACE = { namespace: 'system', name: LEDGER_KEY_SECRET }

function setUp() {
  const client = new ScriptedClient(SECRETS)
  const clock = new ManualClock()
  return { client, clock, open: () => openLedgerSeal(client, 'system', clock, {}) }
}

test('all replicas seal by one key, also where two make it at once', async () => {
  const { open } = setUp()
  const [first, second] = await Promise.all([open(), open()])
  const third = await open()
  for (const one of [first, second, third])
    for (const other of [first, second, third])
      expect(one.unsealed(OWNER, other.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
})

test('a Secret without a key gets one', async () => {
  const { client, open } = setUp()
  client.put({ apiVersion: 'v1', kind: 'Secret', metadata: PLACE, data: { other: 'eA==' } })
  const first = await open()
  expect((await open()).unsealed(OWNER, first.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
  expect(await client.get(SECRETS, PLACE)).toMatchObject({ data: { other: 'eA==' } })
})

test('a key whose Secret was lost is shared again, and a replica that knows a former one takes that of the Secret', async () => {
  const { client, clock, open } = setUp()
  const first = await open()
  await client.delete(SECRETS, PLACE)
  await clock.advance(1_000)
  await first.refresh()
  expect((await open()).unsealed(OWNER, first.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
  await client.delete(SECRETS, PLACE)
  const later = await open()
  expect(first.unsealed(OWNER, later.seal(OWNER, WRITTEN))).toBeUndefined()
  await clock.advance(1_000)
  await first.refresh()
  expect(first.unsealed(OWNER, later.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
})
