import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type BareServer, bareServers, operatedServers, SHORT_LEASE, startOperator } from '../operated.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, ledgersIn, map, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]

/** A namespace with a quota, its ledger and a counted object, which a global quota of its name counts, too: that is full. */
async function fill(world: QuotaWorld, namespace: string): Promise<void> {
  await world.namespace(namespace)
  await world.namespace(`${namespace}-other`, namespace)
  const namespaceSelectors = [{ matchLabels: { pool: namespace } }]
  await world.quota(undefined, namespace, { limit: '1', sources: [COUNTED_MAPS], scopeSelectors, namespaceSelectors })
  await world.quota(namespace, 'own', { limit: '5', sources: [COUNTED_MAPS], scopeSelectors })
  await world.create(mapsIn(namespace), map('a'))
  await world.used(`${quotasIn(namespace)}/own`, '1')
  await world.used(`${GLOBAL_QUOTAS}/${namespace}`, '1')
  expect((await world.send('POST', mapsIn(`${namespace}-other`), map('b'))).status).toBe(403)
}

async function leave(world: QuotaWorld, namespace: string): Promise<void> {
  await world.delete(`/api/v1/namespaces/${namespace}`)
  await world.untilGone(`/api/v1/namespaces/${namespace}`)
  await world.untilGone(`${ledgersIn(namespace)}/own`)
}

/** The room is back, and not more than that. */
async function refill(world: QuotaWorld, namespace: string): Promise<void> {
  await world.used(`${GLOBAL_QUOTAS}/${namespace}`, '0')
  // The API server may not know yet where the next operator answers.
  await eventually(
    () => world.send('POST', mapsIn(`${namespace}-other`), map('b')),
    ({ status }) => status === 201,
  )
  expect((await world.send('POST', mapsIn(`${namespace}-other`), map('c'))).status).toBe(403)
  await world.delete(`${GLOBAL_QUOTAS}/${namespace}`)
}

for (const { name, available, share } of operatedServers)
  describe(`${name}: a namespace with a custom quota that is deleted`, { skip: !available }, () => {
    const suite = forQuotas(share)

    test('goes with the quota, its ledger and what is counted, and a global quota has the room again', async () => {
      const { world } = suite
      await fill(world, 'cq-leaving')
      await leave(world, 'cq-leaving')
      expect((await world.send('GET', `${quotasIn('cq-leaving')}/own`)).status).toBe(404)
      await refill(world, 'cq-leaving')
    })
  })

for (const { name, available, start } of bareServers)
  describe(
    `${name}: a namespace with a custom quota that is deleted while no operator runs`,
    {
      skip: !available,
    },
    () => {
      test('goes all the same, and the next operator has the room again', async () => {
        await using server: BareServer = await start()
        const world = new QuotaWorld(server)
        const operator = await startOperator(server.kubeconfig, SHORT_LEASE)
        await fill(world, 'cq-left')
        await operator.kill9()
        expect((await world.send('POST', mapsIn('cq-left'), map('unasked'))).status).toBe(500)
        await leave(world, 'cq-left')
        await using _ = await startOperator(server.kubeconfig, SHORT_LEASE)
        await world.ready(`${GLOBAL_QUOTAS}/cq-left`)
        await refill(world, 'cq-left')
      })
    },
  )
