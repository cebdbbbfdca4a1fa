import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'
import { Holder } from '../holding-webhook.ts'
import { operatedServers } from '../operated.ts'
import { deployed, forKarmada, kquotasIn } from './karmada-world.ts'

const HOLDER = 'kq-remade.allot.test'
const ONE = deployed({ requests: { cpu: '1' }, clusters: { a: 1 } })
const HELD = { labels: { held: HOLDER } }
/** The record of a ledger that is closed until requests of before are over. */
const CLOSED = '%s/'

for (const { name, available, share } of operatedServers)
  describe(`${name}: a KarmadaQuota that is made anew or changed`, { skip: !available }, () => {
    const suite = forKarmada(share)
    let holder: Holder
    beforeAll(async () => {
      holder = await Holder.start(suite.world, HOLDER, { group: 'work.karmada.io', resource: 'resourcebindings' })
    })
    afterAll(() => holder?.[Symbol.asyncDispose]())

    /** The first ledger of the quota that is there now, which other versions follow. */
    async function firstLedger(watch: StormWatch, namespace: string): Promise<string> {
      const { json } = await suite.server.until(kquotasIn(namespace), ({ json: { items } }) =>
        items.some(({ status }: { status?: { outstanding?: string } }) => (status?.outstanding ?? '') !== ''),
      )
      const [{ metadata }] = json.items
      const outstanding = (await watch.caughtUp())
        .filter(({ object }) => object.metadata.uid === metadata.uid)
        .map(({ object }) => (object as { status?: { outstanding?: string } }).status?.outstanding ?? '')
      return outstanding.find((text) => text !== '') ?? ''
    }

    test.for([
      { what: 'the same limits', namespace: 'kq-remade', hard: { cpu: '2' } },
      { what: 'another limit', namespace: 'kq-remade-other', hard: { pods: '2' } },
    ])(
      'gives no room away that requests in flight were allowed on the former one, with $what',
      async ({ namespace, hard }) => {
        const { world, server } = suite
        await world.namespace(namespace)
        await world.quota(namespace, 'q', { cpu: '2' })
        await using watch = await StormWatch.start(server, kquotasIn(namespace))
        const held = ['a', 'b'].map((one) => world.bind(namespace, one, ONE, '', HELD))
        await world.used(namespace, 'q', { cpu: '2' })
        await world.delete(`${kquotasIn(namespace)}/q`)
        await world.quota(namespace, 'q', hard)
        expect(await firstLedger(watch, namespace)).toContain(CLOSED)
        expect([403, 429]).toContain((await world.bind(namespace, 'c', ONE)).status)
        holder.letGo()
        expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
        expect((await world.bind(namespace, 'd', ONE)).status).not.toBe(201)
        await world.delete(`${kquotasIn(namespace)}/q`)
      },
    )

    test('a limit that is added gives no room away that requests in flight need, and is enforced when they are stored', async () => {
      const { world } = suite
      await world.namespace('kq-added')
      await world.quota('kq-added', 'q', { cpu: '9' })
      const held = ['a', 'b'].map((one) => world.bind('kq-added', one, ONE, '', HELD))
      await world.used('kq-added', 'q', { cpu: '2' })
      await world.patch(`${kquotasIn('kq-added')}/q`, { spec: { hard: { pods: '2' } } })
      expect([403, 429]).toContain((await world.bind('kq-added', 'c', ONE)).status)
      holder.letGo()
      expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
      const { json } = await eventually(
        () => world.bind('kq-added', 'c', ONE),
        ({ status }) => status !== 429,
      )
      expect([json.code, json.message]).toEqual([
        403,
        'admission webhook "quota.karmada.io" denied the request: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
      ])
    })

    test('is enforced at once where nothing that the former one allowed is in flight', async () => {
      const { world, server } = suite
      await world.namespace('kq-remade-idle')
      await world.quota('kq-remade-idle', 'q', { cpu: '2' })
      await using watch = await StormWatch.start(server, kquotasIn('kq-remade-idle'))
      expect((await world.bind('kq-remade-idle', 'a', ONE)).status).toBe(201)
      await world.until(`${kquotasIn('kq-remade-idle')}/q`, ({ status }) => !status.outstanding.includes('%o/'))
      await world.delete(`${kquotasIn('kq-remade-idle')}/q`)
      await world.quota('kq-remade-idle', 'q', { cpu: '2' })
      expect(await firstLedger(watch, 'kq-remade-idle')).not.toContain(CLOSED)
      expect((await world.bind('kq-remade-idle', 'b', ONE)).status).toBe(201)
      expect((await world.bind('kq-remade-idle', 'c', ONE)).status).toBe(403)
    })
  })
