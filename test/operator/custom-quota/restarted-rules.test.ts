import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { seed, SeededRandom } from '../../seeded-random.ts'
import { Faults, FaultyProxy } from '../faulty-proxy.ts'
import { type BareServer, bareServers, startOperator, representative } from '../operated.ts'
import { kubeconfigFor } from '../replicas.ts'
import { COUNTED_MAPS, quotasIn, QuotaWorld } from './quota-world.ts'

const NAMESPACE = 'cq-restarted'
const SETS = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
/** So many requests are tried after an operator has begun to keep the rules. */
const TRIED = 40

const set = (name: string): object => {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  return { metadata: { name }, spec: { replicas: 0, selector: { matchLabels: labels }, template } }
}

for (const { name, start } of representative(bareServers))
  describe(`${name}: an operator that starts again`, () => {
    let server: BareServer
    let world: QuotaWorld

    beforeAll(async () => {
      server = await start()
      world = new QuotaWorld(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test('asks about all that quotas count before it knows the kinds of each of them', async () => {
      const quota = async (quotaName: string, source: object): Promise<void> => {
        await world.create(quotasIn(NAMESPACE), {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'CustomQuota',
          metadata: { name: quotaName },
          spec: { limit: '1', sources: [source] },
        })
        await world.ready(`${quotasIn(NAMESPACE)}/${quotaName}`)
      }
      const flags = ['--no-leader-elect']
      {
        await using first = await startOperator(kubeconfigFor(server.url, server.token), flags)
        await world.namespace(NAMESPACE)
        await quota('maps', COUNTED_MAPS)
        await quota('sets', { apiVersion: 'apps/v1', kind: 'ReplicaSet', op: 'count' })
        await world.create(SETS, set('one'))
        await world.used(`${quotasIn(NAMESPACE)}/sets`, '1')
        await first.kill9()
      }
      const faults = new Faults(new SeededRandom(seed), { oneIn: 1, watchMs: 0 })
      faults.active = false
      await using proxy = await FaultyProxy.before(server.url, faults)
      const release = proxy.hold('/apis/apps/v1')
      const starting = startOperator(kubeconfigFor(proxy.url, server.token), flags)
      starting.catch(() => undefined)
      await eventually(
        async () => proxy.hasSeen('/apis/apps/v1') && proxy.hasSeen(`${CONFIGURATIONS}?`),
        (isKeeping) => isKeeping,
        { what: 'the operator to keep webhook configurations and to ask for the kinds of the group apps' },
      )
      const stored: unknown[] = []
      for (let tried = 0; tried < TRIED; tried++) {
        const { status, json } = await server.send('POST', SETS, set(`more-${tried}`))
        if (status < 400) stored.push(json)
      }
      release()
      await using _operator = await starting
      expect(stored).toEqual([])
      await world.ready(`${quotasIn(NAMESPACE)}/sets`)
      expect((await world.settled('POST', SETS, set('last'))).status).toBe(403)
    })
  })
