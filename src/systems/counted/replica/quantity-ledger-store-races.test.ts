// Covers quantity-ledger-store.ts: writes and events in any order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quotaOf, watchingReplica } from '../../../../test/operator/ledger/ledger-replica.ts'
import { sealBy } from '../../../../test/operator/ledger-seals.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { ScriptedClient, UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { quantityLedger } from '../api/quantity-ledger.ts'
import type { StoredLedger } from '../protocol/ledger-store.ts'
import type { LedgerOwner } from './ledger-name.ts'

const PLACE = { namespace: 'n', name: 'q' }
/** The quota, and another that is made under its name when it is gone. */
const QUOTAS = [quotaOf('u'), quotaOf('later')] as const

const replica = fc.nat(1)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('decide' as const, 'write' as const), replica }) },
  fc.record({ do: fc.constantFrom('read live' as const, 'make' as const), replica }),
  fc.record({ do: fc.constantFrom('delete', 'remake the quota', 'deliver one', 'deliver', 'lose', 'settle') }),
)

/** The ledger at the place, as the API server has it. */
function stored(server: ScriptedClient) {
  const object = server.state.get('n/q')
  if (object === undefined) return undefined
  const { metadata, spec, status } = quantityLedger.read(object)
  return {
    version: `${metadata.uid}/${metadata.resourceVersion}`,
    quota: spec.targetRef.uid,
    text: (status?.outstanding ?? '').split('%M/', 1)[0] ?? '',
  }
}

async function setUp() {
  const server = new ScriptedClient(quantityLedger)
  const seal = sealBy()
  const replicas = [await watchingReplica(server, seal), await watchingReplica(server, seal)] as const
  server.muted = true
  return { server, replicas }
}

test('whatever replicas write and miss, a write is stored only on the very ledger of the quota that it was decided on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const { server, replicas } = await setUp()
      let quota: LedgerOwner = QUOTAS[0]
      const open = () =>
        replicas.map(({ storeOf }) => ({ store: storeOf(quota), decided: undefined as StoredLedger | undefined }))
      let worlds = open()
      for (const [index, one] of steps.entries()) {
        const at = 'replica' in one ? one.replica : 0
        const world = worlds[at]
        const ledgers = replicas[at]?.ledgers
        if (world === undefined || ledgers === undefined) throw new Error('there are two')
        const { store, decided } = world
        const before = stored(server)
        switch (one.do) {
          case 'decide':
            world.decided = store.read()
            break
          case 'write': {
            if (decided === undefined) break
            const text = `${decided.status?.outstanding ?? ''}+${index}`
            const written = await store.write(decided.version, { outstanding: text }).catch(() => 'lost' as const)
            const after = stored(server)
            if (after?.version !== before?.version) {
              // Else what another replica reserved meanwhile would be lost, or a quota charged for another.
              expect(before).toEqual({
                version: decided.version,
                quota: quota.metadata.uid,
                text: decided.status?.outstanding ?? '',
              })
              expect(after?.text).toBe(text)
            }
            if (written === 'lost') break
            expect(written === 'conflict').toBe(after?.version === before?.version)
            if (written !== 'conflict') expect([written.version, store.read()]).toEqual([after?.version, written])
            // Else the same would be tried again and again until the watch shows that the ledger is gone.
            else if (before === undefined) expect(store.read()?.version).not.toBe(decided.version)
            break
          }
          case 'read live': {
            const live = await store.readLive()
            expect(live?.version).toBe(before?.quota === quota.metadata.uid ? before?.version : undefined)
            // Until the watch shows more, nothing else is decided on than what was just read.
            expect(store.read()?.version).toBe(live?.version)
            break
          }
          case 'make':
            await ledgers.create(quota, {}).catch(() => undefined)
            break
          case 'delete':
            server.remove(PLACE)
            break
          case 'remake the quota':
            quota = quota === QUOTAS[0] ? QUOTAS[1] : QUOTAS[0]
            worlds = open()
            break
          case 'deliver one':
            server.deliver(1)
            await settled()
            break
          case 'deliver':
            server.deliver()
            await settled()
            for (const each of worlds) {
              const now = stored(server)
              expect(each.store.read()?.version).toBe(now?.quota === quota.metadata.uid ? now?.version : undefined)
            }
            break
          case 'lose':
            server.failNoMore()
            server.failNext('update', UNREACHABLE, true)
            break
          case 'settle':
            await settled()
            break
          default:
            one satisfies never
        }
      }
      await Promise.all(replicas.map(({ stop }) => stop()))
    }),
    { numRuns: 300 },
  )
})
