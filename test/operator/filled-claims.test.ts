import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { forSuite, operatedServers } from './operated.ts'
import { claimsIn, isTrue, MERGE, POOLS } from './pool-objects.ts'

const CPU = 'requests.cpu'
/** About so many bytes are added at first; an object may have 1.5 MiB. */
const FIRST_CHUNK = 512 * 1024
const KEY_LENGTH = 63
const LABEL_BYTES = 70

// Each test has a pool and namespaces of its own, on a server that other files share, so all are run at the same time.
for (const { name, available, share } of operatedServers)
  describe(`${name}: claims that their owners have filled`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    /** Adds labels until the server takes not one more. `more`: other metadata of each write. */
    async function fill(path: string, more: object): Promise<void> {
      let made = 0
      for (let count = Math.floor(FIRST_CHUNK / LABEL_BYTES); count > 0;) {
        const labels = Object.fromEntries(
          Array.from({ length: count }, (_, at) => [`l${made + at}`.padEnd(KEY_LENGTH, 'x'), '']),
        )
        const { status } = await eventually(
          () => suite.server.send('PATCH', path, { metadata: { labels, ...more } }, MERGE),
          ({ status: code }) => code !== 409 && code !== 429,
        )
        if (status === 200) made += count
        else count >>= 1
      }
      expect(made).toBeGreaterThan(0)
    }

    test.each([
      ['brimful', { managedFields: [{}] }],
      ['full', {}],
    ])('a pool goes although a claim of it is %s, and other claims stay', async (pool, more) => {
      const [filled, other] = [`${pool}-a`, `${pool}-b`]
      for (const namespace of [filled, other]) await suite.world.namespace(namespace, pool)
      await suite.world.pool(pool, { [CPU]: '4' })
      for (const namespace of [filled, other]) await suite.world.claim(namespace, 'one', { [CPU]: '1' }, pool)
      for (const namespace of [filled, other])
        await suite.world.until(`${claimsIn(namespace)}/one`, (claim) => isTrue(claim, 'Allocated') === true)
      await fill(`${claimsIn(filled)}/one`, more)
      await suite.world.delete(`${POOLS}/${pool}`)
      await suite.world.untilGone(`${POOLS}/${pool}`)
      const left = await suite.world.until(`${claimsIn(other)}/one`, ({ status }) => status.pool === undefined)
      expect(left.metadata.ownerReferences).toBeUndefined()
    })
  })
