import { describe, expect, test } from 'vitest'
import { jsonEqual } from '../../../src/machinery/json-value.ts'
import { eventually } from '../../eventually.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { isTrue, podsIn, POOLS, quotasIn } from '../pool-objects.ts'

const rangesIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/limitranges`
const LIMIT_RANGE = { limits: [{ type: 'Container', default: { cpu: '0.5' }, defaultRequest: { cpu: '100m' } }] }
const STORED = [{ type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } }]

describe.for(operatedServers.filter(({ available }) => available))('$name', ({ share }) => {
  const suite = forSuite(share)
  const { pool, ranges } = { pool: 'ranged', ranges: 'capsule-pool-ranged' }

  test('a pool keeps its LimitRange in every namespace that it selects, beside its quota', async () => {
    const { world, server } = suite
    for (const name of ['ranged-a', 'ranged-b']) await world.namespace(name, pool)
    await world.pool(pool, { 'limits.cpu': '4' }, { limitRange: LIMIT_RANGE, defaults: { 'limits.cpu': '1' } })
    for (const name of ['ranged-a', 'ranged-b']) {
      const range = await world.until(`${rangesIn(name)}/${ranges}`, () => true)
      expect(range.spec.limits).toEqual(STORED)
      expect(range.metadata.labels).toEqual({
        'projectcapsule.dev/pool': pool,
        'projectcapsule.dev/managed-by': 'controller',
      })
      expect(range.metadata.ownerReferences).toMatchObject([{ kind: 'ResourcePool', name: pool, controller: true }])
    }
    await world.until(`${quotasIn('ranged-a')}/${ranges}`, ({ status }) => status?.used !== undefined)
    const bare = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    }
    await eventually(
      () => server.send('POST', podsIn('ranged-a'), bare),
      ({ status }) => status === 201,
    )
    await world.until(`${quotasIn('ranged-a')}/${ranges}`, ({ status }) => status.used['limits.cpu'] === '500m')
  })

  test('a LimitRange that somebody changes, unlabels or deletes is put back, and follows the pool', async () => {
    const { world, server } = suite
    const path = `${rangesIn('ranged-a')}/${ranges}`
    const isBack = ({ metadata, spec }: { metadata: { labels?: object }; spec: { limits: unknown } }): boolean =>
      metadata.labels !== undefined && jsonEqual(spec.limits, STORED)
    await world.patch(path, { spec: { limits: [{ type: 'Container', max: { cpu: '64' } }] } })
    await world.until(path, isBack)
    for (const taken of [{ labels: null }, { labels: null, ownerReferences: null }]) {
      await world.patch(path, { metadata: taken })
      await world.until(path, (range) => isBack(range) && range.metadata.ownerReferences?.length === 1)
    }
    await world.until(path, isBack)
    const { metadata } = await world.read(path)
    await world.delete(path)
    await world.until(path, (range) => range.metadata.uid !== metadata.uid && isBack(range))
    const limits = [{ type: 'Container', default: { cpu: '200m' } }]
    await world.patch(`${POOLS}/${pool}`, { spec: { limitRange: { limits } } })
    for (const name of ['ranged-a', 'ranged-b'])
      await world.until(`${rangesIn(name)}/${ranges}`, ({ spec }) => spec.limits[0].default.cpu === '200m')
    expect((await server.send('GET', `${POOLS}/${pool}`)).json).toMatchObject({ spec: { limitRange: { limits } } })
  })

  test('a LimitRange of this name that the pool did not make stays as it is, and the pool says so until it goes', async () => {
    const { world } = suite
    await world.namespace('ranged-c', 'none')
    const path = `${rangesIn('ranged-c')}/${ranges}`
    const own = { metadata: { name: ranges }, spec: { limits: [{ type: 'Pod', max: { cpu: '8' } }] } }
    await world.create(rangesIn('ranged-c'), own)
    await world.label('ranged-c', pool)
    const words = 'no LimitRange in namespace ranged-c: there is one of this name that the pool does not keep'
    await world.notReady(`${POOLS}/${pool}`, words)
    expect((await world.read(path)).spec).toEqual(own.spec)
    const { status } = await world.read(`${POOLS}/${pool}`)
    expect(status.withoutLimitRange).toMatchObject([{ name: 'ranged-c' }])
    // The quota does not wait for it.
    await world.until(`${quotasIn('ranged-c')}/${ranges}`, () => true)
    await world.delete(path)
    await world.until(path, ({ metadata }) => metadata.ownerReferences?.length === 1)
    await world.until(`${POOLS}/${pool}`, (read) => isTrue(read, 'Ready') === true && !read.status.withoutLimitRange)
  })

  test('a namespace that leaves, a pool without the field and a pool that is deleted lose the LimitRange', async () => {
    const { world } = suite
    await world.label('ranged-b', 'none')
    await world.untilGone(`${quotasIn('ranged-b')}/${ranges}`)
    await world.untilGone(`${rangesIn('ranged-b')}/${ranges}`)
    await world.patch(`${POOLS}/${pool}`, { spec: { limitRange: null } })
    await world.untilGone(`${rangesIn('ranged-a')}/${ranges}`)
    expect((await world.read(`${quotasIn('ranged-a')}/${ranges}`)).metadata.deletionTimestamp).toBeUndefined()
    await world.patch(`${POOLS}/${pool}`, { spec: { limitRange: LIMIT_RANGE } })
    await world.until(`${rangesIn('ranged-a')}/${ranges}`, () => true)
    await world.delete(`${POOLS}/${pool}`)
    await world.untilGone(`${POOLS}/${pool}`)
    for (const name of ['ranged-a', 'ranged-c']) await world.untilGone(`${rangesIn(name)}/${ranges}`)
  })

  test('a LimitRange that API servers refuse is refused in the pool, in the same words', async () => {
    const { world, server } = suite
    const limits = [
      { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } },
      { type: 'Container', default: { cpu: '1' } },
    ]
    const spec = { quota: { hard: {} }, limitRange: { limits } }
    const refused = await server.send('POST', POOLS, {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name: 'ranged-wrongly' },
      spec,
    })
    await world.namespace('ranged-d', 'none')
    const native = await server.send('POST', rangesIn('ranged-d'), {
      metadata: { name: 'x' },
      spec: { limits },
    })
    expect([native.status, refused.status]).toEqual([422, 422])
    expect(causesOf(refused).replaceAll('spec.limitRange.', 'spec.')).toBe(causesOf(native))
  })
})

/** The fields and reasons of a refusal. How a message shows an amount depends on the version of the API server. */
function causesOf({ json }: { readonly json: unknown }): string {
  const { details } = json as { details: { causes: { reason: string; field: string; message: string }[] } }
  return details.causes
    .map(({ reason, field, message }) => [reason, field, message.split(': ').at(-1)].join())
    .join('\n')
}
