import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../../../test/kube/scripted-client.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { createLogger, silentLogger } from '../../../runtime/process/logger.ts'
import { ReconcileMetrics } from '../../../operator/shell/reconcile-metrics.ts'
import { RunningController } from '../../../operator/shell/run-controller.ts'
import { SharedCaches } from '../../../operator/shell/shared-caches.ts'
import { QuotaStatusKeeper } from './quota-status-keeper.ts'
import { RESOURCE_QUOTAS } from './resource-quotas.ts'

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
  const caches = new SharedCaches({ client, clock, logger: silentLogger })
  const quotas = caches.view<ResourceQuota>({
    kind: RESOURCE_QUOTAS,
    keep: (object) => object as ResourceQuota,
  })
  caches.start()
  await quotas.whenSynced()
  const running = new RunningController(
    new QuotaStatusKeeper({ name: 'quotas', context: { client, clock, logger }, quotas }),
    { clock, logger: silentLogger, metrics: new ReconcileMetrics(new Registry()) },
  )
  running.follow()
  await settled()
  const enforced = (): unknown => (client.state.get('a/q') as ResourceQuota).status?.hard
  const stop = async (): Promise<void> => {
    await running.stop()
    await caches.stop()
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

test('the quota controller has time to bring limits into force; then the operator does it', async () => {
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

test('the quota controller has its time for each limit', async () => {
  await using following = await follow(quota({ [CPU]: '1' }, { [CPU]: '1' }))
  const { client, clock, enforced } = following
  const patches = (): number => client.calls.filter((call) => call === 'patch').length
  for (const limit of ['2', '3', '4', '5']) {
    client.put(quota({ [CPU]: limit }, { [CPU]: '1' }))
    await clock.advance(2_000)
    client.put(quota({ [CPU]: limit }, { [CPU]: limit }))
    await clock.advance(1_000)
  }
  expect(patches()).toBe(0)
  client.put(quota({ [CPU]: '6' }, { [CPU]: '5' }))
  await clock.advance(4_900)
  expect(patches()).toBe(0)
  await clock.advance(100)
  await expect.poll(enforced).toEqual({ [CPU]: '6' })
})

test('a quota that was not counted yet is left to the quota controller', async () => {
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
