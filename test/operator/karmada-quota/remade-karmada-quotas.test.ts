import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'
import { Holder } from '../holding-webhook.ts'
import { operatedServers } from '../operated.ts'
import { deployed, forKarmada, kquotasIn } from './karmada-world.ts'

const HOLDER = 'kq-remade.allot.test'
const ONE = deployed({ requests: { cpu: '1' }, clusters: { a: 1 } })
const HELD = { labels: { held: HOLDER } }
const LOW = deployed({ requests: { cpu: '1' }, priorityClassName: 'low', clusters: { a: 1 } })
const ofClass = (name: string) => ({
  matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }],
})

interface Change {
  readonly what: string
  readonly before: { readonly hard: Readonly<Record<string, string>>; readonly scopeSelector?: object }
  readonly after: object
}

/** Changes by which `LOW` costs a quota more than before. */
const CHANGES: readonly Change[] = [
  { what: 'a limit is added', before: { hard: { cpu: '9' } }, after: { hard: { pods: '2' } } },
  {
    what: 'a limit is added of what no other limit counts',
    before: { hard: { memory: '9Gi' } },
    after: { hard: { pods: '2' } },
  },
  {
    what: 'its scopes change',
    before: { hard: { pods: '2' }, scopeSelector: ofClass('high') },
    after: { scopeSelector: ofClass('low') },
  },
]

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
        holder.letGo(namespace)
        expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
        expect((await world.bind(namespace, 'd', ONE)).status).not.toBe(201)
        await world.delete(`${kquotasIn(namespace)}/q`)
      },
    )

    test.for(CHANGES.map((change, index) => ({ ...change, namespace: `kq-changed-${index}` })))(
      'gives no room away that requests in flight need where $what',
      async ({ namespace, before, after }) => {
        const { world } = suite
        await world.namespace(namespace)
        await world.quota(namespace, 'q', before.hard, before)
        const held = ['a', 'b'].map((one) => world.bind(namespace, one, LOW, '', HELD))
        await holder.holds(namespace, 2)
        await world.patch(`${kquotasIn(namespace)}/q`, { spec: after })
        await world.until(`${kquotasIn(namespace)}/q`, ({ status }) => status.outstanding.includes(CLOSED))
        const { status, text } = await world.bind(namespace, 'c', LOW)
        expect([status, text]).toEqual([429, expect.stringContaining('the spec counts more than before')])
        holder.letGo(namespace)
        const statuses = (await Promise.all(held)).map((answer) => answer.status)
        // The API server asks both webhooks at once, so allot may have been asked only after the change.
        for (const one of statuses) expect(one).toBeOneOf([201, 429])
        expect((await world.bind(namespace, 'd', LOW)).status).toBe(429)
        await world.used(namespace, 'q', { pods: String(statuses.filter((one) => one === 201).length) })
        await world.delete(`${kquotasIn(namespace)}/q`)
      },
    )

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

const [up] = operatedServers
describe('allot up: a KarmadaQuota whose spec was changed', () => {
  const suite = forKarmada(() => up!.start({ args: ['--apiserver-request-timeout=1s'] }))

  test('is enforced when no request of before can be stored any more', async () => {
    const { world } = suite
    await world.namespace('kq-opens')
    await world.quota('kq-opens', 'q', { cpu: '9' })
    expect((await world.bind('kq-opens', 'a', ONE)).status).toBe(201)
    await world.patch(`${kquotasIn('kq-opens')}/q`, { spec: { hard: { pods: '2' } } })
    await eventually(
      () => world.bind('kq-opens', 'b', ONE),
      ({ status }) => status === 201,
    )
    const { json } = await world.bind('kq-opens', 'c', ONE)
    expect([json.code, json.message]).toEqual([
      403,
      'admission webhook "quota.karmada.io" denied the request: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ])
  })
})
