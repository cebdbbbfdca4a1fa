import { describe, expect, test } from 'vitest'
import { serverVersion } from '../../src/kube/client/reported-version.ts'
import { ServedKinds } from '../../src/operator/shell/served-kinds.ts'
import { forSuite, servers } from './servers.ts'

describe.each(servers)('on %s', (name, start) => {
  const suite = forSuite(start)

  test('the built-in kinds are found, with their subresources', async () => {
    const kinds = new ServedKinds(suite.client)
    const found = {
      quotas: await kinds.find({ group: '', version: 'v1', kind: 'ResourceQuota' }),
      deployments: await kinds.find({ group: 'apps', version: '', kind: 'Deployment' }),
      leases: await kinds.inAnyVersion({ group: 'coordination.k8s.io', resource: 'leases' }),
      namespaces: await kinds.ofResource({ group: '', version: 'v1', resource: 'namespaces' }),
    }
    expect(found).toMatchObject({
      quotas: {
        group: '',
        version: 'v1',
        resource: 'resourcequotas',
        namespaced: true,
        shortNames: ['quota'],
        subresources: expect.arrayContaining(['status']),
      },
      deployments: { version: 'v1', resource: 'deployments' },
      leases: { kind: 'Lease', namespaced: true },
      namespaces: { kind: 'Namespace', namespaced: false },
    })
    for (const kind of Object.values(found))
      await expect(suite.client.list(kind!), kind!.resource).resolves.toHaveProperty('items')
  })

  test('its version is returned', async () => {
    const { major, minor } = await serverVersion(suite.client)
    expect([major, minor]).toEqual(name === 'allot up' ? [1, 36] : [1, 20])
  })
})
