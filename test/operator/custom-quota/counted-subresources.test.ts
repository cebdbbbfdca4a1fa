import { describe, expect, test } from 'vitest'
import { operatedServers } from '../operated.ts'
import { podsIn } from '../pool-objects.ts'
import { DEFINITIONS, forQuotas, openDefinition, openVersions, quotasIn } from './quota-world.ts'

for (const { name, available, share } of operatedServers)
  describe(`${name}: the status of what is counted`, { skip: !available }, () => {
    const suite = forQuotas(share)

    test('an update of a status that raises a counted field is allowed and counts, and then creates are refused', async () => {
      const { world } = suite
      await world.namespace('cq-status')
      const versions = openVersions(['v1']).map((version) => ({ ...version, subresources: { status: {} } }))
      await world.create(DEFINITIONS, openDefinition('status.allot.test', 'Bucket', versions))
      const bucket = { apiVersion: 'status.allot.test/v1', kind: 'Bucket' }
      await world.quota('cq-status', 'sizes', {
        limit: '10',
        sources: [
          { ...bucket, op: 'add', path: '.spec.size' },
          { ...bucket, op: 'add', path: '.status.extra' },
        ],
      })
      const path = `${quotasIn('cq-status')}/sizes`
      const buckets = '/apis/status.allot.test/v1/namespaces/cq-status/buckets'
      const create = (of: string, size: number) =>
        world.send('POST', buckets, { ...bucket, metadata: { name: of }, spec: { size } })
      expect((await create('a', 4)).status).toBe(201)
      await world.patch(`${buckets}/a/status`, { status: { extra: 5 } })
      await world.used(path, '9')
      const refused = await create('b', 2)
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('currentUsed=9, available=1')])
      expect((await create('c', 1)).status).toBe(201)
      // Also past the limit.
      await world.patch(`${buckets}/a/status`, { status: { extra: 8 } })
      await world.used(path, '13')
      expect((await create('d', 1)).status).toBe(403)
    })
  })

const [up] = operatedServers
// The real API server of the tests has neither of these subresources.
describe('allot up: subresources of pods', { concurrent: true }, () => {
  const suite = forQuotas(up!.share)
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

  test('a resize is refused where it does not fit, and frees room where it is smaller', async () => {
    const { world, server } = suite
    await world.namespace('cq-resize')
    await world.quota('cq-resize', 'cpu', {
      limit: '3',
      sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.containers[*].resources.requests.cpu' }],
    })
    await world.pod('cq-resize', 'a', { cpu: '1' })
    await world.pod('cq-resize', 'b', { cpu: '1' })
    const resize = async (cpu: string) =>
      await server.send(
        'PATCH',
        `${podsIn('cq-resize')}/a/resize`,
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
        strategic,
      )
    const refused = await resize('2500m')
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(
        'updating resource exceeds limit for CustomQuota \\"cpu\\" (requested=2500m, currentUsed=2, available=1, limit=3',
      ),
    ])
    expect((await resize('2')).status).toBe(200)
    await world.used(`${quotasIn('cq-resize')}/cpu`, '3')
    expect((await resize('500m')).status).toBe(200)
    await world.used(`${quotasIn('cq-resize')}/cpu`, '1500m')
  })

  test('ephemeral containers that bring the pod into a quota are refused where it does not fit', async () => {
    const { world, server } = suite
    await world.namespace('cq-debug')
    await world.quota('cq-debug', 'debugged', {
      limit: '1',
      sources: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          op: 'count',
          selectors: [{ fieldSelectors: ['.spec.ephemeralContainers[*].name'] }],
        },
      ],
    })
    for (const of of ['a', 'b']) await world.pod('cq-debug', of, { cpu: '1' })
    const debug = (of: string) =>
      server.send(
        'PATCH',
        `${podsIn('cq-debug')}/${of}/ephemeralcontainers`,
        { spec: { ephemeralContainers: [{ name: 'debugger', image: 'i' }] } },
        strategic,
      )
    expect((await debug('a')).status).toBe(200)
    const refused = await debug('b')
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('updating resource exceeds limit for CustomQuota \\"debugged\\" (requested=1'),
    ])
  })
})
