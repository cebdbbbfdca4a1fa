import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLAIM_METRICS, POOL_METRICS } from '../../../src/systems/resource-pool/decide/pool-metrics.ts'
import { operatedServers, type SharedOperated } from '../operated.ts'
import { claimsIn, isTrue, podsIn, POOLS, PoolWorld } from '../pool-objects.ts'
import { metricsOf } from '../metrics/recorded-metrics.ts'

const CPU = 'requests.cpu'
/** Only the servers are tested at the same time. */
const IN_ORDER = { concurrent: false } as const

for (const { name, available, share } of operatedServers)
  describe(`${name}: metrics of pools and claims`, { concurrent: true, skip: !available }, () => {
    let server: SharedOperated
    let world: PoolWorld
    /** The series that name a pool or a namespace, without these words. */
    const seriesOf = async (word: string): Promise<ReadonlyMap<string, number>> => {
      const { series } = await metricsOf(server)
      return new Map([...series].filter(([one]) => one.includes(`"${word}"`)))
    }

    beforeAll(async () => {
      server = await share()
      world = new PoolWorld(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test('the Bound series of a claim follows its status', IN_ORDER, async ({ expect }) => {
      const bound = `capsule_claim_condition{condition="Bound",name="one",target_namespace="followed"}`
      const value = async (): Promise<number | undefined> => (await seriesOf('followed')).get(bound)
      const claim = `${claimsIn('followed')}/one`
      await world.namespace('followed')
      await world.pool('followed', { [CPU]: '2' })
      await world.claim('followed', 'one', { [CPU]: '1' })
      await world.until(claim, (object) => isTrue(object, 'Bound') === false)
      await expect.poll(value).toBe(0)
      await world.pod('followed', 'user', { cpu: '500m' })
      await world.until(claim, (object) => isTrue(object, 'Bound') === true)
      await expect.poll(value).toBe(1)
      await world.delete(`${podsIn('followed')}/user?gracePeriodSeconds=0`)
      await expect.poll(value).toBe(0)
    })

    test('series disappear with their objects, and no others do', IN_ORDER, async ({ expect }) => {
      for (const namespace of ['vanished-a', 'vanished-b']) await world.namespace(namespace, 'vanished')
      await world.pool('vanished', { [CPU]: '2', 'requests.memory': '1Gi' })
      await world.claim('vanished-a', 'one', { [CPU]: '1' })
      await world.claim('vanished-b', 'two', { [CPU]: '1' })
      await world.allocated('vanished-a', 'one')
      await world.allocated('vanished-b', 'two')
      // A claim that waits while a part of what it wants is free: then there is an exhaustion, in percent too.
      await world.claim('vanished-a', 'big', { 'requests.memory': '2Gi' })
      const percentage = 'capsule_pool_exhaustion_percentage{pool="vanished",resource="requests.memory"}'
      const usage =
        'capsule_pool_namespace_usage{pool="vanished",resource="requests.cpu",target_namespace="vanished-b"}'
      await expect.poll(async () => (await seriesOf('vanished')).get(percentage)).toBe(100)
      expect((await seriesOf('vanished')).get(usage)).toBe(1)

      await world.label('vanished-b', 'none')
      await expect.poll(async () => (await seriesOf('vanished')).has(usage)).toBe(false)
      await world.delete(`${claimsIn('vanished-a')}/big`)
      await expect.poll(async () => (await seriesOf('vanished')).has(percentage)).toBe(false)
      for (const [namespace, claim] of [
        ['vanished-a', 'one'],
        ['vanished-b', 'two'],
      ] as const)
        await world.delete(`${claimsIn(namespace)}/${claim}`)
      await world.delete(`${POOLS}/vanished`)
      const left = async (): Promise<readonly string[]> =>
        (await Promise.all(['vanished', 'vanished-a', 'vanished-b'].map(seriesOf))).flatMap((series) => [
          ...series.keys(),
        ])
      await expect.poll(left).toEqual([])
    })

    test('every series is exposed with its help and type', IN_ORDER, async () => {
      const { types } = await metricsOf(server)
      for (const [name, { help }] of Object.entries({ ...POOL_METRICS, ...CLAIM_METRICS }))
        expect([...types]).toEqual(expect.arrayContaining([`# HELP ${name} ${help}`, `# TYPE ${name} gauge`]))
    })
  })
