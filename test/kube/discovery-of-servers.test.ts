import { beforeAll, describe, expect, test } from 'vitest'
import { discover, serverVersion } from '../../src/kube/client/server-discovery.ts'
import type { ServerResources } from '../../src/kube/client/server-resources.ts'
import { forSuite, servers } from './servers.ts'

describe.each(servers)('on %s', (name, start) => {
  const suite = forSuite(start)
  let found: ServerResources
  beforeAll(async () => {
    found = await discover(suite.client)
  })

  test('the built-in kinds are found, with their subresources', () => {
    expect(found.ofKind('v1', 'ResourceQuota')).toMatchObject({
      group: '',
      version: 'v1',
      resource: 'resourcequotas',
      namespaced: true,
      shortNames: ['quota'],
      subresources: expect.arrayContaining(['status']),
    })
    expect(found.preferredKind('apps', 'Deployment')).toMatchObject({ version: 'v1', resource: 'deployments' })
    expect(found.resource('coordination.k8s.io', 'leases')).toMatchObject({ kind: 'Lease', namespaced: true })
    expect(found.resource('', 'namespaces')).toMatchObject({ kind: 'Namespace', namespaced: false })
    expect(found.failures).toEqual([])
  })

  test('the kinds that it finds can be listed', async () => {
    const listable = found.all.filter(({ verbs }) => verbs.includes('list'))
    expect(listable.length).toBeGreaterThan(10)
    for (const kind of listable) await expect(suite.client.list(kind), kind.resource).resolves.toHaveProperty('items')
  })

  test('its version is returned', async () => {
    const { major, minor } = await serverVersion(suite.client)
    expect([major, minor]).toEqual(name === 'allot up' ? [1, 36] : [1, 20])
  })

  test('only a server of old is asked group by group', async () => {
    const paths: string[] = []
    await discover({
      request: async (method, path, body, options) => {
        paths.push(path)
        return await suite.client.request(method, path, body, options)
      },
    })
    expect(paths.length > 2).toBe(name !== 'allot up')
  })
})
