import { request } from 'undici'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type BareServer, bareServers, launchOperator, representative } from './operated.ts'
import { claimsIn, GROUP, isTrue, podsIn, PoolWorld } from './pool-objects.ts'
import { freePort } from '../free-ports.ts'
import { makeService, TcpBalancer } from './tcp-balancer.ts'

const CPU = 'requests.cpu'

for (const { name, start } of representative(bareServers))
  describe(`${name}: behind a Service`, { concurrent: true }, () => {
    let server: BareServer
    let balancer: TcpBalancer

    beforeAll(async () => {
      server = await start()
      balancer = await TcpBalancer.start()
    })
    afterAll(async () => {
      await balancer?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    test('the first replica is ready before API servers reach it, as a Service leads only to those that are ready', async ({
      expect,
    }) => {
      const world = new PoolWorld(server)
      await makeService(world, { namespace: 'front', name: 'allot' }, balancer)
      const [webhooks, health] = [await freePort(), await freePort()]
      const flags = ['--webhook-port', webhooks, '--health-port', health].map(String)
      await using operator = launchOperator(server.kubeconfig, [
        '--webhook-service',
        `front/allot:${balancer.port}`,
        ...flags,
      ])
      const ask = (page: string): Promise<number> =>
        request(`http://127.0.0.1:${health}/${page}`).then(
          async ({ statusCode, body }) => {
            await body.dump()
            return statusCode
          },
          () => 0,
        )
      await expect.poll(() => ask('livez')).toBe(200)
      await expect.poll(() => ask('readyz')).toBe(200)
      // As a Service routes to its ready Pods.
      balancer.ports = [webhooks]
      await operator.ready()
      await world.namespace('team')
      await world.pool('team', { [CPU]: '4' })
      await world.claim('team', 'one', { [CPU]: '1' })
      await world.until(`${claimsIn('team')}/one`, (claim) => isTrue(claim, 'Bound') === false)

      // Its pods are where its Service is, whatever `--system-namespace` says, and must be able to come back.
      const quotas = `${GROUP}/globalcustomquotas`
      const sources = [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }]
      await world.create(quotas, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'GlobalCustomQuota',
        metadata: { name: 'all-pods' },
        spec: { limit: '100', sources },
      })
      await world.until(`${quotas}/all-pods`, (quota) => isTrue(quota, 'Ready') === true)
      await operator.kill9()
      const made: Record<string, number> = {}
      for (const namespace of ['front', 'allot-system', 'team'])
        made[namespace] = (
          await server.send('POST', podsIn(namespace), {
            metadata: { name: 'late' },
            spec: { containers: [{ name: 'c', image: 'i' }] },
          })
        ).status
      expect(made).toEqual({ front: 201, 'allot-system': 201, team: 500 })
    })
  })
