import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { AmountBook } from '../../grants/pools/amount-book.ts'
import { WatchCache } from '../../kube/watch-cache.ts'
import { createLogger, silentLogger } from '../../runtime/logger.ts'
import { WorkQueue } from '../../runtime/work-queue.ts'
import { RESOURCE_QUOTAS } from './pool-caches.ts'
import { QuotaStatusKeeper } from './quota-status-keeper.ts'

const CPU = 'requests.cpu'
type Amounts = Readonly<Record<string, string>>

const quota = (hard: Amounts, enforced: Amounts, used: Amounts = { [CPU]: '0' }): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'a', name: 'q' },
  spec: { hard },
  status: { hard: enforced, used },
})

async function follow(first: ResourceQuota) {
  const client = new ScriptedClient(RESOURCE_QUOTAS)
  const clock = new ManualClock()
  const logged: string[] = []
  const logger = createLogger('info', {
    write: (line) => void logged.push((JSON.parse(line) as { level: string }).level),
  })
  client.put(first)
  const cache = new WatchCache<ResourceQuota, 'pool'>({
    client,
    clock,
    logger: silentLogger,
    kind: RESOURCE_QUOTAS,
    keep: (object) => object as ResourceQuota,
  })
  cache.start()
  await cache.whenSynced()
  const keeper = new QuotaStatusKeeper({
    context: { client, clock, logger },
    caches: { quotas: cache },
    book: new AmountBook(),
    queue: (work) => new WorkQueue({ work, onError: () => undefined }),
  })
  const abort = new AbortController()
  const end = keeper.follow(abort.signal)
  await settled()
  const enforced = (): unknown => (client.state.get('a/q') as ResourceQuota).status?.hard
  const stop = async (): Promise<void> => {
    abort.abort()
    await end()
    await cache.stop()
  }
  return { client, clock, logged, enforced, [Symbol.asyncDispose]: stop }
}

test('a limit in force that somebody changes is put back at once', async () => {
  await using following = await follow(quota({ [CPU]: '1' }, { [CPU]: '1' }))
  const { client, logged, enforced } = following
  client.put(quota({ [CPU]: '1' }, { [CPU]: '100', pods: '3' }))
  await expect.poll(enforced).toEqual({ [CPU]: '1' })
  client.put(quota({ [CPU]: '1' }, {}))
  await expect.poll(enforced).toEqual({ [CPU]: '1' })
  await expect.poll(() => logged).toEqual(['warn', 'warn'])
})

test('who brings limits into force has time to do so; then it is done for him', async () => {
  await using following = await follow(quota({ [CPU]: '1' }, { [CPU]: '1' }))
  const { client, clock, logged, enforced } = following
  client.put(quota({ [CPU]: '2' }, { [CPU]: '1' }))
  await clock.advance(4_000)
  expect([enforced(), client.calls.filter((call) => call === 'patch')]).toEqual([{ [CPU]: '1' }, []])
  await clock.advance(1_000)
  await expect.poll(enforced).toEqual({ [CPU]: '2' })
  // Nobody did anything that somebody would have to be warned of.
  await expect.poll(() => logged).toEqual(['info'])
})

test('what nobody has counted yet is left to who counts', async () => {
  await using following = await follow(quota({ [CPU]: '1' }, { [CPU]: '1' }))
  const { client, clock, enforced } = following
  client.put(quota({ [CPU]: '2', pods: '5' }, { [CPU]: '1' }))
  await clock.advance(5_000)
  await expect.poll(enforced).toEqual({ [CPU]: '2' })
  const { status: _, ...uncounted } = quota({ [CPU]: '3' }, {})
  client.put(uncounted)
  await clock.advance(10_000)
  expect(client.calls.filter((call) => call === 'patch')).toHaveLength(1)
})
