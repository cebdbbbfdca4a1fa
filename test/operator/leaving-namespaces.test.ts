import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../src/api/resource-pool/quota-name.ts'
import { type Operated, operatedServers } from './operated.ts'
import { claimsIn, isTrue, podsIn, POOLS, PoolWorld, quotasIn } from './pool-objects.ts'

const CPU = 'requests.cpu'
const FINALIZER = 'allot.test/stays'

for (const { name, available, start } of operatedServers)
  describe(`${name}: a namespace that is deleted`, { concurrent: true, skip: !available }, () => {
    let server: Operated
    let world: PoolWorld

    beforeAll(async () => {
      server = await start()
      world = new PoolWorld(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test('keeps its room from others until it is gone with all that runs there, though its claims go at once', async () => {
      const quota = `${quotasIn('leaving')}/${poolQuotaName('left')}`
      const pod = `${podsIn('leaving')}/runs-on`
      for (const namespace of ['leaving', 'waiting']) await world.namespace(namespace, 'left')
      await world.pool('left', { [CPU]: '4' })
      await world.claim('leaving', 'used', { [CPU]: '3' })
      await world.until(quota, ({ status }) => status?.hard?.[CPU] === '3')
      await world.pod('leaving', 'runs-on', { cpu: '2' })
      await world.patch(pod, { metadata: { finalizers: [FINALIZER] } })
      await world.until(`${claimsIn('leaving')}/used`, (claim) => isTrue(claim, 'Bound') === true)
      await world.claim('waiting', 'wants', { [CPU]: '3' })
      await world.until(`${claimsIn('waiting')}/wants`, (claim) => isTrue(claim, 'Exhausted') === true)

      await world.delete('/api/v1/namespaces/leaving')
      await world.untilGone(quota)
      await world.untilGone(`${claimsIn('leaving')}/used`)
      await world.read(pod)
      // What there is besides is given meanwhile, and shows that the pool was looked at.
      await world.claim('waiting', 'small', { [CPU]: '1' })
      await world.allocated('waiting', 'small')
      const { status } = await world.read(`${POOLS}/left`)
      expect(status).toMatchObject({
        namespaces: ['waiting'],
        allocation: { used: { [CPU]: '1' }, available: { [CPU]: '0' } },
        releasing: { leaving: { room: { [CPU]: '3' } } },
      })
      expect(isTrue(await world.read(`${claimsIn('waiting')}/wants`), 'Exhausted')).toBe(true)

      await world.patch(pod, { metadata: { finalizers: null } })
      await world.untilGone('/api/v1/namespaces/leaving')
      await world.allocated('waiting', 'wants')
      expect((await world.read(`${POOLS}/left`)).status.releasing).toBeUndefined()
    })
  })
