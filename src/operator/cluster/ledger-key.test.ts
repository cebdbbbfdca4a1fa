import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { SECRETS } from '../../kube/webhook-certificates/secret.ts'
import { LEASE_NAME, LEDGER_KEY_SECRET, SYSTEM_NAMESPACE_ANNOTATION } from '../../install/installed-names.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { LedgerKeyKeeper } from './ledger-key.ts'
import type { LedgerSeal } from './ledger-seal.ts'

const OWNER = 'u/CustomQuota/n/q/v'
const WRITTEN = { text: '1', base: '17' }
const PLACE = { namespace: 'system', name: LEDGER_KEY_SECRET }

const AWAITED = 'the key of the ledgers is missing: other replicas have some seconds to store it again'
const ADOPTED =
  'somebody replaced the key of the ledgers: the new one is used, and quotas are closed until their ledgers are made again'
const BROUGHT_BACK = 'somebody deleted or damaged the key of the ledgers: the one that seals them is stored again'

async function setUp() {
  const client = new ScriptedClient(SECRETS)
  const clock = new ManualClock()
  const said: string[] = []
  const say = (_: object, text: string): void => void said.push(text)
  const options = {
    client,
    context: clock,
    logger: { ...silentLogger, warn: say, error: say },
    systemNamespace: 'system',
  }
  const replicas = new AsyncDisposableStack()
  const keep = async (): Promise<LedgerKeyKeeper> => {
    const keeper = await LedgerKeyKeeper.open(options, new AbortController().signal)
    replicas.defer(() => keeper.stop())
    return keeper
  }
  const open = async (): Promise<LedgerSeal> => (await keep()).seal
  return { client, clock, said, keep, open, [Symbol.asyncDispose]: () => replicas.disposeAsync() }
}

test('all replicas seal by one key, also where two make it at once', async () => {
  await using world = await setUp()
  const { open } = world
  const [first, second] = await Promise.all([open(), open()])
  const third = await open()
  for (const one of [first, second, third])
    for (const other of [first, second, third])
      expect(one.unsealed(OWNER, other.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
})

test('a Secret without a key gets one', async () => {
  await using world = await setUp()
  const { client, open } = world
  client.put({ apiVersion: 'v1', kind: 'Secret', metadata: PLACE, data: { other: 'eA==' } })
  const first = await open()
  expect((await open()).unsealed(OWNER, first.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
  expect(await client.get(SECRETS, PLACE)).toMatchObject({ data: { other: 'eA==' } })
})

test('a key whose Secret was lost is shared again, and a replica that knows a former one takes that of the Secret', async () => {
  await using world = await setUp()
  const { client, clock, said, open } = world
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
  expect(said).toEqual([BROUGHT_BACK, ADOPTED])
})

const LEASE = { metadata: { namespace: 'system', name: LEASE_NAME }, spec: { holderIdentity: 'leader' } }
const CONFIGURATION = { metadata: { name: 'allot', annotations: { [SYSTEM_NAMESPACE_ANNOTATION]: 'system' } } }

for (const [what, sign] of [
  ['its Lease has a holder', LEASE],
  ['its webhook configuration stands', CONFIGURATION],
] as const)
  test(`a replica that starts without the key while ${what} leaves a replica that runs the time to store it`, async () => {
    await using world = await setUp()
    const { client, clock, said, keep } = world
    const first = await keep()
    client.put({ apiVersion: 'v1', kind: 'Any', ...sign })
    await client.delete(SECRETS, PLACE)
    const starting = keep()
    await clock.advance(8_000)
    const second = await starting
    expect(second.seal.unsealed(OWNER, first.seal.seal(OWNER, WRITTEN))).toMatchObject(WRITTEN)
    expect([said, second.isFirst]).toEqual([[AWAITED, BROUGHT_BACK], false])
    await first.stop()
    await second.stop()
    await client.delete(SECRETS, PLACE)
    const alone = keep()
    await clock.advance(9_000)
    expect(client.state.has(`${PLACE.namespace}/${PLACE.name}`)).toBe(false)
    await clock.advance(1_000)
    expect((await alone).isFirst).toBe(false)
  })

test('only the replica that makes the Secret is the first: a damaged one tells of others', async () => {
  await using world = await setUp()
  const { client, keep } = world
  client.put({ apiVersion: 'v1', kind: 'Secret', metadata: PLACE, data: {} })
  expect((await keep()).isFirst).toBe(false)
  await client.delete(SECRETS, PLACE)
  expect((await keep()).isFirst).toBe(true)
})

test('a key whose Secret is deleted or damaged comes back within seconds, which one replica says once', async () => {
  await using world = await setUp()
  const { client, clock, said, keep } = world
  const [first, second] = [await keep(), await keep()]
  expect([first.isFirst, second.isFirst]).toEqual([true, false])
  const stored = async () => (await client.get(SECRETS, PLACE))['data']
  const before = await stored()
  await client.delete(SECRETS, PLACE)
  await clock.advance(7_000)
  expect(await stored()).toEqual(before)
  expect(said).toEqual([BROUGHT_BACK])
  await client.update(SECRETS, { ...(await client.get(SECRETS, PLACE)), data: { key: 'eA==' } })
  await clock.advance(7_000)
  expect(await stored()).toEqual(before)
  expect(said).toEqual([BROUGHT_BACK, BROUGHT_BACK])
})

test('a key that cannot be read stays in use, which is said once', async () => {
  await using world = await setUp()
  const { client, clock, said, keep } = world
  const { seal } = await keep()
  const sealed = seal.seal(OWNER, WRITTEN)
  client.outage = UNREACHABLE
  await clock.advance(30_000)
  expect(said).toEqual(['the key of the ledgers could not be read: the last one stays in use'])
  expect(seal.unsealed(OWNER, sealed)).toMatchObject(WRITTEN)
})
