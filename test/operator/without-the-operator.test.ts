import { describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../src/systems/resource-pool/api/quota-name.ts'
import type { Answer } from '../start-allot.ts'
import { bareServers, startOperator } from './operated.ts'
import { MERGE, PoolWorld, podsIn, quotasIn } from './pool-objects.ts'

const CPU = 'requests.cpu'
const CONTROLLERS = 'system:serviceaccount:kube-system:'

for (const { name, available, start } of bareServers)
  describe(`${name}: while no operator runs`, { skip: !available }, () => {
    /** Does the API server know conditions of webhooks? 1.20 does not. */
    const knowsConditions = name.startsWith('allot up')
    /** Does it have the controllers of a cluster? */
    const hasControllers = name.startsWith('allot up')

    test('quotas of pools stay as they are, pods are counted, and namespaces can go [security/operator-away]', async () => {
      await using server = await start()
      const operator = await startOperator(server.kubeconfig)
      const world = new PoolWorld(server)
      const path = `${quotasIn('left')}/${poolQuotaName('left')}`
      await world.namespace('left')
      await world.pool('left', { [CPU]: '4', pods: '20' })
      await world.claim('left', 'one', { [CPU]: '1', pods: '10' })
      await world.until(path, ({ status }) => status?.hard?.[CPU] === '1' && status.used?.pods === '0')
      await operator.kill9()

      const as = (who: string, method: string, at = path, body?: object): Promise<Answer> =>
        server.send(method, at, body, { ...MERGE, 'impersonate-user': who, 'impersonate-group': 'system:masters' })
      const raised = { spec: { hard: { [CPU]: '100' } } }
      const refusals = [
        await as('somebody', 'PATCH', path, raised),
        await as('somebody', 'PATCH', path, { metadata: { labels: null } }),
        await as('somebody', 'PATCH', path, { metadata: { finalizers: ['a.test/b'] } }),
        await as(`${CONTROLLERS}namespace-controller`, 'PATCH', path, raised),
        ...(knowsConditions
          ? [
              await as('somebody', 'DELETE'),
              await as('somebody', 'DELETE', quotasIn('left')),
              await as('somebody', 'PATCH', `${path}/status`, { status: { hard: { [CPU]: '100' } } }),
            ]
          : []),
      ]
      for (const { status, json } of refusals) {
        expect(status, JSON.stringify(json)).toBe(500)
        expect(json.message).toContain('failed calling webhook "generated-quotas')
      }
      expect((await world.read(path)).spec.hard[CPU]).toBe('1')

      await world.pod('left', 'counted', { cpu: '100m' })
      await world.until(path, ({ status }) => status.used.pods === '1')
      expect((await server.send('DELETE', `${podsIn('left')}/counted?gracePeriodSeconds=0`)).status).toBe(200)
      if (hasControllers) {
        await world.until(path, ({ status }) => status.used.pods === '0')
        await server.send('DELETE', '/api/v1/namespaces/left')
        await server.until('/api/v1/namespaces/left', ({ status }) => status === 404)
      } else expect((await as(`${CONTROLLERS}namespace-controller`, 'DELETE')).status).toBe(200)
    })
  })
