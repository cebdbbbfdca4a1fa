import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatedServers } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import { Holder } from '../holding-webhook.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, ledgersIn, map, mapsIn, quotasIn } from './quota-world.ts'

const HOLDER = 'remade.allot.test'
const COLLECTOR = { 'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector' }

for (const { name, available, share } of operatedServers)
  describe(`${name}: a quota that is deleted and made anew`, { skip: !available }, () => {
    const suite = forQuotas(share)
    let holder: Holder
    beforeAll(async () => {
      holder = await Holder.start(suite.world, HOLDER)
    })
    afterAll(() => holder?.[Symbol.asyncDispose]())

    test.for([
      { namespace: 'cq-remade', kind: 'CustomQuota', quotas: quotasIn('cq-remade'), ledgers: ledgersIn('cq-remade') },
      {
        namespace: 'cq-remade-all',
        kind: 'GlobalCustomQuota',
        quotas: GLOBAL_QUOTAS,
        ledgers: ledgersIn('allot-system'),
      },
    ])(
      'gives no room away that requests in flight were allowed on the former one: $kind',
      async ({ namespace, kind, quotas, ledgers }) => {
        const { world, server } = suite
        await world.namespace(namespace)
        const scopeSelectors = [{ matchLabels: { remade: kind } }]
        const spec = { limit: '2', sources: [COUNTED_MAPS], scopeSelectors }
        const maps = mapsIn(namespace)
        await world.quota(kind === 'CustomQuota' ? namespace : undefined, 'remade', spec)

        const held = ['a', 'b'].map((one) => world.send('POST', maps, map(one, 1, { remade: kind, held: HOLDER })))
        await world.until(`${ledgers}/remade`, ({ status }) => status?.reserved === '2')
        await world.delete(`${quotas}/remade`)
        // Some of these servers have no garbage collector.
        const collected = await server.send('DELETE', `${ledgers}/remade`, undefined, COLLECTOR)
        expect([200, 404]).toContain(collected.status)
        await world.create(quotas, {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind,
          metadata: { name: 'remade' },
          spec,
        })
        await world.until(`${quotas}/remade`, (quota) => {
          const ready = condition(quota, 'Ready')
          return ready?.status === 'True' || ready?.message.includes('requests that it allowed') === true
        })
        expect([403, 429]).toContain((await world.send('POST', maps, map('c', 1, { remade: kind }))).status)
        holder.letGo(namespace)
        expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
        expect((await world.send('POST', maps, map('d', 1, { remade: kind }))).status).not.toBe(201)
        await world.delete(`${quotas}/remade`)
      },
    )

    test('is ready at once where nothing that the former one allowed is in flight', async () => {
      const { world } = suite
      await world.namespace('cq-remade-idle')
      const spec = { limit: '2', sources: [COUNTED_MAPS], scopeSelectors: [{ matchLabels: { counted: 'yes' } }] }
      await world.quota('cq-remade-idle', 'idle', spec)
      await world.create(mapsIn('cq-remade-idle'), map('a'))
      await world.until(`${ledgersIn('cq-remade-idle')}/idle`, ({ status }) => status?.reserved === '0')
      const ledger = await world.read(`${ledgersIn('cq-remade-idle')}/idle`)
      await world.delete(`${quotasIn('cq-remade-idle')}/idle`)
      await suite.server.send('DELETE', `${ledgersIn('cq-remade-idle')}/idle`, undefined, COLLECTOR)
      await world.create(quotasIn('cq-remade-idle'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'idle' },
        spec,
      })
      const { metadata, status } = await world.until(
        `${ledgersIn('cq-remade-idle')}/idle`,
        (read) => read.metadata.uid !== ledger.metadata.uid && (read.status?.outstanding ?? '') !== '',
      )
      expect([metadata.name, status.outstanding.includes('%s/')]).toEqual(['idle', false])
    })
  })
