import { describe, expect, test } from 'vitest'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, condition, isTrue, podsIn, POOLS, type PoolWorld, quotasIn } from '../pool-objects.ts'

const CPU = 'requests.cpu'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()

const claimWith = (namespace: string, name: string, cpu: string, ends: object): object => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePoolClaim',
  metadata: { name, namespace },
  spec: { pool: namespace, claim: { [CPU]: cpu }, ...ends },
})

const reasonOf = (world: PoolWorld, namespace: string, name: string, reason: string): Promise<object> =>
  world.until(`${claimsIn(namespace)}/${name}`, (claim) => condition(claim, 'Expired')?.reason === reason)

/** The reasons of the Events on a claim. */
async function reasonsOf(world: PoolWorld, namespace: string, name: string, last: string): Promise<readonly string[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`
  const of = ({ items }: { items: { reason: string; regarding: { name: string } }[] }): readonly string[] =>
    items.filter(({ regarding }) => regarding.name === name).map(({ reason }) => reason)
  return of(await world.until(path, (list) => of(list).includes(last)))
}

for (const { name, available, share } of operatedServers)
  describe(`${name}: claims that end`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    test('an unused claim ends at its time, and what it had goes to the next in the queue', async () => {
      const { world } = suite
      await world.namespace('ending')
      await world.pool('ending', { [CPU]: '2' })
      const expiresAt = inSeconds(4)
      await world.create(claimsIn('ending'), claimWith('ending', 'first', '2', { expiresAt }))
      await world.allocated('ending', 'first')
      await world.claim('ending', 'second', { [CPU]: '2' }, 'ending')
      await world.until(`${claimsIn('ending')}/second`, (claim) => isTrue(claim, 'Exhausted') === true)
      await world.allocated('ending', 'second')
      const first = await world.read(`${claimsIn('ending')}/first`)
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now())
      expect(first.status.pool).toBeUndefined()
      expect(condition(first, 'Expired')).toMatchObject({ status: 'True', reason: 'Ended' })
      expect(condition(first, 'Ready')).toMatchObject({
        status: 'True',
        reason: 'Ended',
        message: 'the claim has ended and holds nothing',
      })
      expect(await reasonsOf(world, 'ending', 'first', 'Ended')).toEqual(expect.arrayContaining(['EndsSoon', 'Ended']))
      const late = { spec: { expiresAt: inSeconds(3600) } }
      const renewal = await world.settled('PATCH', `${claimsIn('ending')}/first`, late, MERGE)
      expect([renewal.status, renewal.json.message]).toEqual([422, expect.stringContaining('cannot be renewed')])
      await world.delete(`${claimsIn('ending')}/first`)
    })

    test('a used claim is frozen when its time is over, kills nothing, and goes with the workload', async () => {
      const { world, server } = suite
      await world.namespace('freezing')
      await world.pool('freezing', { [CPU]: '2' })
      await world.create(claimsIn('freezing'), claimWith('freezing', 'used', '2', { ttlAfterBound: '3s' }))
      await world.allocated('freezing', 'used')
      await world.until(
        `${quotasIn('freezing')}/capsule-pool-freezing`,
        ({ status }) => status?.hard?.[CPU] === '2' && status.used?.[CPU] === '0',
      )
      const unused = await world.read(`${claimsIn('freezing')}/used`)
      expect(unused.status.endsAt).toBeUndefined()
      await world.pod('freezing', 'worker', { cpu: '1' })
      await world.until(`${claimsIn('freezing')}/used`, ({ status }) => status.boundAt !== undefined)
      await reasonOf(world, 'freezing', 'used', 'Frozen')
      const pool = await world.until(`${POOLS}/freezing`, ({ status }) => status.frozenCount === 1)
      expect(pool.status).toMatchObject({
        claimCount: 1,
        allocation: { available: { [CPU]: '0' } },
        frozen: [{ namespace: 'freezing', name: 'used' }],
      })
      expect((await server.send('GET', `${podsIn('freezing')}/worker`)).status).toBe(200)
      await world.delete(`${podsIn('freezing')}/worker?gracePeriodSeconds=0`)
      await reasonOf(world, 'freezing', 'used', 'Ended')
      const freed = await world.until(`${POOLS}/freezing`, ({ status }) => status.allocation.available[CPU] === '2')
      expect(freed.status).not.toHaveProperty('frozen')
      expect(await reasonsOf(world, 'freezing', 'used', 'Ended')).toEqual(expect.arrayContaining(['Frozen', 'Ended']))
    })

    test('a ttlAfterBound ends the claim however short it is, and one that a used claim gets too late is refused', async () => {
      const { world, server } = suite
      await world.namespace('short')
      await world.pool('short', { [CPU]: '2' })
      await world.create(claimsIn('short'), claimWith('short', 'brief', '1', { ttlAfterBound: '1ms' }))
      await world.create(claimsIn('short'), claimWith('short', 'lasting', '1', {}))
      for (const one of ['brief', 'lasting']) await world.allocated('short', one)
      const quota = `${quotasIn('short')}/capsule-pool-short`
      await world.until(quota, ({ status }) => status?.hard?.[CPU] === '2' && status.used?.[CPU] === '0')
      await world.pod('short', 'worker', { cpu: '2' })
      await reasonOf(world, 'short', 'brief', 'Frozen')
      const lasting = `${claimsIn('short')}/lasting`
      await world.until(lasting, (claim) => isTrue(claim, 'Bound') === true)
      const late = await server.send('PATCH', lasting, { spec: { ttlAfterBound: '1ms' } }, MERGE)
      expect([late.status, late.json.message]).toEqual([422, expect.stringContaining('must end in the future')])
      await world.patch(lasting, { spec: { ttlAfterBound: '1h' } })
      await world.until(lasting, ({ status }) => status.boundAt !== undefined && status.endsAt !== undefined)
      await world.delete(`${podsIn('short')}/worker?gracePeriodSeconds=0`)
      await reasonOf(world, 'short', 'brief', 'Ended')
      await world.until(`${POOLS}/short`, ({ status }) => status.allocation.available[CPU] === '1')
    })

    test('an end in the past is refused, and a later one may take the place of one that has not come', async () => {
      const { world, server } = suite
      await world.namespace('extended')
      await world.pool('extended', { [CPU]: '2' })
      const refuse = async (ends: object): Promise<string> => {
        const answer = await server.send('POST', claimsIn('extended'), claimWith('extended', 'wrong', '1', ends))
        return `${answer.status} ${answer.json.message}`
      }
      expect(await refuse({ expiresAt: inSeconds(-60) })).toMatch(/^422 .*spec\.expiresAt.*must be in the future/)
      expect(await refuse({ ttlAfterBound: '0s' })).toMatch(/^422 .*spec\.ttlAfterBound.*must be greater than 0/)
      expect(await refuse({ ttlAfterBound: 'soon' })).toMatch(/^422 .*spec\.ttlAfterBound/)
      expect(await refuse({ expiresAt: 'tomorrow' })).toMatch(/^422 .*spec\.expiresAt/)
      await world.create(claimsIn('extended'), claimWith('extended', 'c', '1', { expiresAt: inSeconds(3600) }))
      const expiresAt = '2199-01-01T00:00:00Z'
      await world.patch(`${claimsIn('extended')}/c`, { spec: { expiresAt } })
      await world.until(`${claimsIn('extended')}/c`, ({ status }) => status?.endsAt === expiresAt)
    })
  })
