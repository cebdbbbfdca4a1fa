import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { poolQuotaName } from '../../src/systems/resource-pool/api/quota-name.ts'
import { type Answer, startAllot } from '../start-allot.ts'
import { eventually } from '../eventually.ts'
import { over } from './operated.ts'
import { MERGE, PoolWorld, quotasIn } from './pool-objects.ts'

const CPU = 'requests.cpu'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
/** Longer than a leader may go without a renewal, and than a request and its webhooks may take; shorter than the lease. */
const STALL_MS = 8_000
const TIMEOUT = '?timeout=5s'
const TIMES = [
  '--leader-elect-lease-duration=60s',
  // Only a little shorter: a leader of a busy machine may need seconds for a renewal.
  '--leader-elect-renew-deadline=7s',
  '--leader-elect-retry-period=500ms',
]
const AT_ONCE = 20

test('while allot up stands still its operator keeps the lead, and no tenant raises the quota of a pool [security/standing-still]', async () => {
  await using allot = await startAllot({ operator: true, args: TIMES })
  const server = over({ ...allot, [Symbol.asyncDispose]: async () => undefined })
  const world = new PoolWorld(server)
  const path = `${quotasIn('stalled')}/${poolQuotaName('stalled')}`
  await world.namespace('stalled')
  await world.pool('stalled', { [CPU]: '4' })
  await world.claim('stalled', 'one', { [CPU]: '1' })
  await world.until(path, ({ status }) => status?.hard?.[CPU] === '1')
  const before = await world.read(LEASE)

  const raise = (subresource = ''): Promise<Answer> =>
    server.send('PATCH', `${path}${subresource}${TIMEOUT}`, RAISED[subresource], {
      ...MERGE,
      'impersonate-user': 'somebody',
      'impersonate-group': 'system:masters',
    })
  const raises = (): readonly Promise<Answer>[] =>
    Array.from({ length: AT_ONCE }, (_, n) => raise(n % 2 === 0 ? '' : '/status'))
  // A busy machine may answer none of the others in time.
  await eventually(raise, ({ status }) => status === 403, { what: 'a refusal' })
  // Some are under way when the process stops, at the webhook too, and others wait for it to go on.
  const early = raises()
  await Promise.race(early)
  const midway = raises()
  process.kill(allot.pid, 'SIGSTOP')
  const late = raises()
  await sleep(STALL_MS)
  process.kill(allot.pid, 'SIGCONT')

  const answers = await Promise.all([...early, ...midway, ...late])
  expect(answers.filter(({ status }) => status === 200)).toEqual([])
  const resumed = await world.read(LEASE)
  const { spec: renewed } = await world.until(LEASE, ({ spec }) => spec.renewTime !== resumed.spec.renewTime)
  expect([renewed.holderIdentity, renewed.leaseTransitions]).toEqual([
    before.spec.holderIdentity,
    before.spec.leaseTransitions,
  ])
  expect(allot.logs()).not.toContain('is no longer the leader')
  const { spec, status } = await world.read(path)
  expect([spec.hard[CPU], status.hard[CPU]]).toEqual(['1', '1'])
  // It leads on: what a tenant may ask for is done.
  await world.claim('stalled', 'two', { [CPU]: '1' })
  await world.until(path, ({ spec: { hard } }) => hard[CPU] === '2')
})

const RAISED: Readonly<Record<string, object>> = {
  '': { spec: { hard: { [CPU]: '100' } } },
  '/status': { status: { hard: { [CPU]: '100' } } },
}
