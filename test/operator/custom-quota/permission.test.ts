import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { seed, SeededRandom } from '../../seeded-random.ts'
import { Faults, FaultyProxy } from '../faulty-proxy.ts'
import { type BareServer, bareServers, startOperator, representative } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import { kubeconfigFor } from '../replicas.ts'
import { allowToRead, installAccount } from '../access/installed-account.ts'
import { COUNTED_MAPS, map, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const ALL_MAPS = '/api/v1/configmaps'
const MAY_COUNT_MAPS = { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }
const MISSING = 'the operator must be allowed to list and watch configmaps: configmaps is forbidden: '

for (const { name, start } of representative(bareServers))
  describe(`${name}: an operator that may not list what a quota counts`, { concurrent: true }, () => {
    let server: BareServer
    let world: QuotaWorld

    beforeAll(async () => {
      server = await start()
      world = new QuotaWorld(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test('names the missing permission, counts as soon as it is granted, and says so when it is revoked from a quiet quota', async () => {
      const faults = new Faults(new SeededRandom(seed), { oneIn: 1, watchMs: 0 })
      faults.active = false
      const account = await installAccount(server, 'allot-system', ['exempt-labels'])
      const further = await allowToRead(server, account.user, [])
      await using proxy = await FaultyProxy.before(server.url, faults)
      await using _operator = await startOperator(kubeconfigFor(proxy.url, account.token))
      /** Resolves when the API server goes by the rules. */
      const allow = async (...rules: readonly object[]): Promise<void> => {
        await world.patch(further, { rules })
        await eventually(
          () => server.send('GET', `${ALL_MAPS}?limit=1`, undefined, { 'impersonate-user': account.user }),
          ({ status }) => status === (rules.length === 0 ? 403 : 200),
        )
      }
      await world.namespace('cq-denied')
      const path = `${quotasIn('cq-denied')}/two`
      await world.create(quotasIn('cq-denied'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'two' },
        spec: { limit: '2', sources: [COUNTED_MAPS], scopeSelectors: [{ matchLabels: { counted: 'yes' } }] },
      })
      const staysClosed = async (): Promise<void> => {
        expect(await world.notReady(path, MISSING)).toBe('Failed')
        expect(condition(await world.read(path), 'Ready')?.message).toContain('cannot list resource "configmaps"')
        await eventually(
          () => world.send('POST', `${mapsIn('cq-denied')}?dryRun=All`, map('dry')),
          ({ status }) => status === 429,
        )
      }

      await staysClosed()
      await allow(MAY_COUNT_MAPS)
      await world.ready(path)
      await world.create(mapsIn('cq-denied'), map('a'))
      await world.used(path, '1')

      // Nothing happens to the quota or its objects from here on.
      await allow()
      proxy.cutWatches(ALL_MAPS)
      await staysClosed()
      await allow(MAY_COUNT_MAPS)
      await world.ready(path)
      await world.create(mapsIn('cq-denied'), map('b'))
      expect((await world.settled('POST', mapsIn('cq-denied'), map('c'))).status).toBe(403)
    })
  })
