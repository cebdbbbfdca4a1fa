import { describe, expect, test } from 'vitest'
import type { Answer } from '../../start-allot.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, isTrue, POOLS } from '../pool-objects.ts'

const CPU = 'requests.cpu'
/** An object may have so many bytes. */
const MOST_BYTES = 1.5 * 1024 * 1024
const KEY_LENGTH = 63

const labels = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`.padEnd(KEY_LENGTH, 'x'), '']))

// Each test has a pool and namespaces of its own, on a server that other files share, so all are run at the same time.
for (const { name, available, share } of operatedServers)
  describe(`${name}: claims that their owners have filled`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    const post = (namespace: string, count: number, query = ''): Promise<Answer> =>
      suite.server.send('POST', claimsIn(namespace) + query, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePoolClaim',
        metadata: { name: 'one', labels: labels(count) },
        spec: { pool: 'filling', claim: { [CPU]: '1' } },
      })

    /** Creates a claim with as many labels as the server takes, so that nothing can be added to it. */
    async function createFilled(namespace: string): Promise<void> {
      const [few, more] = await Promise.all([1, 1001].map((count) => post(namespace, count, '?dryRun=All')))
      const [least = NaN, size = NaN] = [few?.text.length, more?.text.length]
      const bytesEach = (size - least) / 1000
      let count = Math.ceil((MOST_BYTES - least) / bytesEach)
      while ((await post(namespace, count)).status !== 201) count--
    }

    test('a pool goes although nothing can be added to a claim of it, and other claims stay', async () => {
      const [filled, other] = ['filling-a', 'filling-b'] as const
      for (const namespace of [filled, other]) await suite.world.namespace(namespace, 'filling')
      await suite.world.pool('filling', { [CPU]: '4' })
      await createFilled(filled)
      await suite.world.claim(other, 'one', { [CPU]: '1' }, 'filling')
      await suite.world.until(`${claimsIn(other)}/one`, (claim) => isTrue(claim, 'Allocated') === true)
      await suite.world.until(`${POOLS}/filling`, ({ status }) => status.claimCount === 2)
      await suite.world.delete(`${POOLS}/filling`)
      await suite.world.untilGone(`${POOLS}/filling`)
      const left = await suite.world.until(`${claimsIn(other)}/one`, ({ status }) => status.pool === undefined)
      expect(left.metadata.ownerReferences).toBeUndefined()
    })
  })
