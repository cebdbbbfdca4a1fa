import { describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../../src/systems/resource-pool/api/quota-name.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, isTrue, podsIn, POOLS, quotasIn } from '../pool-objects.ts'

const CPU = 'requests.cpu'
const FINALIZER = 'allot.test/stays'

for (const { name, available, share } of operatedServers)
  describe(`${name}: a namespace that is deleted`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    test('keeps its room from others until it is gone with all that runs there, though its claims go at once', async () => {
      const quota = `${quotasIn('leaving')}/${poolQuotaName('left')}`
      const pod = `${podsIn('leaving')}/runs-on`
      for (const namespace of ['leaving', 'left-waiting']) await suite.world.namespace(namespace, 'left')
      await suite.world.pool('left', { [CPU]: '4' })
      await suite.world.claim('leaving', 'used', { [CPU]: '3' })
      await suite.world.until(quota, ({ status }) => status?.hard?.[CPU] === '3')
      await suite.world.pod('leaving', 'runs-on', { cpu: '2' })
      await suite.world.patch(pod, { metadata: { finalizers: [FINALIZER] } })
      await suite.world.until(`${claimsIn('leaving')}/used`, (claim) => isTrue(claim, 'Bound') === true)
      await suite.world.claim('left-waiting', 'wants', { [CPU]: '3' })
      await suite.world.until(`${claimsIn('left-waiting')}/wants`, (claim) => isTrue(claim, 'Exhausted') === true)

      await suite.world.delete('/api/v1/namespaces/leaving')
      await suite.world.untilGone(quota)
      await suite.world.untilGone(`${claimsIn('leaving')}/used`)
      await suite.world.read(pod)
      // The other amounts are given meanwhile, and show that the pool was reconciled.
      await suite.world.claim('left-waiting', 'small', { [CPU]: '1' })
      await suite.world.allocated('left-waiting', 'small')
      const { status } = await suite.world.read(`${POOLS}/left`)
      expect(status).toMatchObject({
        namespaces: ['left-waiting'],
        allocation: { used: { [CPU]: '1' }, available: { [CPU]: '0' } },
        releasing: { leaving: { room: { [CPU]: '3' } } },
      })
      expect(isTrue(await suite.world.read(`${claimsIn('left-waiting')}/wants`), 'Exhausted')).toBe(true)

      await suite.world.patch(pod, { metadata: { finalizers: null } })
      await suite.world.untilGone('/api/v1/namespaces/leaving')
      await suite.world.allocated('left-waiting', 'wants')
      expect((await suite.world.read(`${POOLS}/left`)).status.releasing).toBeUndefined()
    })
  })
