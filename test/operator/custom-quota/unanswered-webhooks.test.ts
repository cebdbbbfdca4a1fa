import { describe, expect, test } from 'vitest'
import { request } from 'undici'
import { bareServers, SHORT_LEASE, startOperator, representative } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import { freePort } from '../../free-ports.ts'
import { TcpBalancer } from '../tcp-balancer.ts'
import { COUNTED_MAPS, map, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const QUOTA = `${quotasIn('unanswered')}/two`

for (const { name, start } of representative(bareServers))
  describe(`${name}: webhooks that the API server cannot reach`, () => {
    test('are reported by the replica that takes over with another address, until they answer', async () => {
      await using server = await start()
      // A balancer without a port behind it stands for an address that leads nowhere.
      await using nowhere = await TcpBalancer.start()
      const world = new QuotaWorld(server)
      await using first = await startOperator(server.kubeconfig, SHORT_LEASE)
      await world.namespace('unanswered')
      await world.quota('unanswered', 'two', { limit: '2', sources: [COUNTED_MAPS] })
      const port = await freePort()
      const address = ['--webhook-url', `https://127.0.0.1:${nowhere.port}`, '--webhook-port', String(port)]
      await using second = await startOperator(server.kubeconfig, [...SHORT_LEASE, ...address])
      const readyz = async (): Promise<string> => {
        const { body } = await request(`http://127.0.0.1:${second.healthPort}/readyz?verbose`)
        return await body.text()
      }
      const metrics = async (): Promise<string> => {
        const { body } = await request(`http://127.0.0.1:${second.metricsPort}/metrics`)
        return await body.text()
      }
      expect(await readyz()).toContain('[+]webhooks ok')

      await first[Symbol.asyncDispose]()
      await expect.poll(readyz).toContain('[-]webhooks failed: the API server does not get answers of the webhooks: ')
      expect(await metrics()).toContain('\nallot_webhooks_unanswered 1\n')
      const said = 'the API server does not get answers of the webhooks: '
      await world.until(QUOTA, (quota) => condition(quota, 'Ready')?.message?.includes(said) === true)
      expect(condition(await world.read(QUOTA), 'Ready')?.status).toBe('False')
      expect(second.logs()).toContain('the webhook configuration was written with another address than before')
      expect(second.logs()).toContain('the API server does not get answers of the webhooks yet')
      expect((await world.send('POST', mapsIn('unanswered'), map('closed'))).status).toBe(500)

      nowhere.ports = [port]
      await expect.poll(readyz).toContain('[+]webhooks ok')
      expect(await metrics()).toContain('\nallot_webhooks_unanswered 0\n')
      await world.ready(QUOTA)
      expect((await world.send('POST', mapsIn('unanswered'), map('open'))).status).toBe(201)
    })
  })
