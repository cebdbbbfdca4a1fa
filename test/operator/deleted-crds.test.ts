import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourcePool } from '../../src/systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../src/systems/resource-pool/api/claim.ts'
import { poolQuotaName } from '../../src/systems/resource-pool/api/quota-name.ts'
import { eventually } from '../eventually.ts'
import { type Operated, operatedServers } from './operated.ts'
import { PoolJudge } from './pool/pool-judge.ts'
import { POOLS, PoolWorld, quotasIn } from './pool-objects.ts'

const CPU = 'requests.cpu'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const definitionOf = ({ resource, group }: { readonly resource: string; readonly group: string }): string =>
  `${DEFINITIONS}/${resource}.${group}`
const quotaOf = (namespace: string): string => `${quotasIn(namespace)}/${poolQuotaName('shared')}`
/** Only the servers are tested at the same time. */
const IN_ORDER = { concurrent: false } as const

for (const { name, available, start } of operatedServers)
  describe(`${name}: definitions that are deleted`, { concurrent: true, skip: !available }, () => {
    let server: Operated
    let world: PoolWorld
    let judge: PoolJudge

    beforeAll(async () => {
      server = await start()
      world = new PoolWorld(server)
      judge = new PoolJudge(server)
      for (const namespace of ['north', 'south']) await world.namespace(namespace, 'shared')
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    /** A pool of 2 CPUs, all of which a claim in that namespace gets. */
    async function grant(namespace: string): Promise<void> {
      await world.claim(namespace, `in-${namespace}`, { [CPU]: '2' }, 'shared')
      await world.allocated(namespace, `in-${namespace}`)
      await world.until(quotaOf(namespace), ({ status }) => status?.hard?.[CPU] === '2')
    }

    /** Deletes definitions and waits until they are back. */
    async function lose(...kinds: readonly Parameters<typeof definitionOf>[0][]): Promise<void> {
      const paths = kinds.map(definitionOf)
      const before = await Promise.all(paths.map(async (path) => (await world.read(path)).metadata.uid))
      await Promise.all(paths.map((path) => world.delete(path)))
      for (const [at, path] of paths.entries())
        await world.until(
          path,
          ({ metadata, status }) =>
            metadata.uid !== before[at] &&
            status?.conditions?.some(
              ({ type, status: is }: { type: string; status: string }) => type === 'Established' && is === 'True',
            ),
        )
      expect(server.logs()).toContain('a CRD was deleted, and with it all objects of its kind; it is installed again')
    }

    test('that of claims comes back, and what its claims had is free', IN_ORDER, async () => {
      await world.pool('shared', { [CPU]: '2' })
      await grant('north')
      await world.pod('north', 'user', { cpu: '1' })
      await lose(resourcePoolClaim)
      const pool = await world.until(`${POOLS}/shared`, ({ status }) => status.claimCount === 0)
      expect(pool.status.allocation.used).toEqual({ [CPU]: '0' })
      // The amounts that a pod uses stay with its namespace.
      await world.until(`${POOLS}/shared`, ({ status }) => status.allocation.available[CPU] === '1')
      await world.delete('/api/v1/namespaces/north/pods/user?gracePeriodSeconds=0')
      await creatable(() => grant('south'))
    })

    test('that of pools comes back, and a pool of the same name grants anew', IN_ORDER, async () => {
      await lose(resourcePool)
      // Its quotas went with it.
      await world.untilGone(quotaOf('south'))
      await creatable(() => world.pool('shared', { [CPU]: '2' }))
      await world.allocated('south', 'in-south')
      await world.until(quotaOf('south'), ({ status }) => status?.hard?.[CPU] === '2')
      expect((await world.read(quotaOf('north'))).status?.hard ?? {}).not.toMatchObject({ [CPU]: '2' })
    })

    test('both come back', IN_ORDER, async () => {
      await lose(resourcePool, resourcePoolClaim)
      await world.untilGone(quotaOf('south'))
      await creatable(() => world.pool('shared', { [CPU]: '2' }))
      await creatable(() => grant('north'))
      expect((await world.read(`${POOLS}/shared`)).status.allocation.used).toEqual({ [CPU]: '2' })
    })

    test('and never was more allowed than the pool had', IN_ORDER, async () => {
      expect(await judge.verdict()).toEqual([])
      const [pools = 0, quotas = 0] = judge.seen
      expect([pools > 3, quotas > 10]).toEqual([true, true])
    })

    /** A server takes a moment to serve again what a CRD defines. */
    const creatable = (make: () => Promise<unknown>): Promise<unknown> =>
      eventually(
        () => make().then(() => true, String),
        (made) => made === true,
      )
  })
