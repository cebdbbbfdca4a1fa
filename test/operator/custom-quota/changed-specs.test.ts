import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { operatedServers } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import { Holder } from '../holding-webhook.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, ledgersIn, map, MAPS, mapsIn, quotasIn } from './quota-world.ts'

const HOLDER = 'changed.allot.test'
const WIDENED =
  'the spec counts more than before, and requests that were allowed by the earlier one may still be stored'
const SERVICES = { apiVersion: 'v1', kind: 'Service', op: 'count' }
const labelled = (label: string) => [{ matchLabels: { changed: label } }]
const IN = { scopeSelectors: labelled('in') }

/** The quotas count nothing at first, and after the change each config map with the label `in` as 1. */
const CHANGES = [
  { what: 'scopeSelectors', before: { scopeSelectors: labelled('out') }, after: IN },
  {
    what: 'the selectors of a source',
    before: { sources: [{ ...COUNTED_MAPS, selectors: labelled('out') }] },
    after: { sources: [{ ...COUNTED_MAPS, selectors: labelled('in') }] },
  },
  { what: 'the kinds', before: { ...IN, sources: [SERVICES] }, after: { sources: [COUNTED_MAPS] } },
  { what: 'a path', before: { ...IN, sources: [{ ...MAPS, path: '.data.none' }] }, after: { sources: [MAPS] } },
  {
    what: 'namespaceSelectors',
    isGlobal: true,
    before: { ...IN, namespaceSelectors: [{ matchLabels: { pool: 'nowhere' } }] },
    after: { namespaceSelectors: [{ matchLabels: { pool: 'cq-changed-4' } }] },
  },
]

for (const { name, available, share } of operatedServers)
  describe(`${name}: a custom quota whose spec changes while requests are in flight`, { skip: !available }, () => {
    const suite = forQuotas(share)
    let holder: Holder
    beforeAll(async () => {
      holder = await Holder.start(suite.world, HOLDER)
    })
    afterAll(() => holder?.[Symbol.asyncDispose]())

    test.for(CHANGES.map((change, index) => ({ isGlobal: false, ...change, namespace: `cq-changed-${index}` })))(
      'allows nothing until they are over that it did not ask about or that cost less: $what',
      async ({ namespace, isGlobal, before, after }) => {
        const { world } = suite
        await world.namespace(namespace, namespace)
        const maps = mapsIn(namespace)
        const one = (named: string, more: Readonly<Record<string, string>> = {}) =>
          map(named, 1, { changed: 'in', ...more })
        const place = isGlobal ? undefined : namespace
        const quota = `${isGlobal ? GLOBAL_QUOTAS : quotasIn(namespace)}/${namespace}`
        await world.quota(place, namespace, { limit: '2', sources: [COUNTED_MAPS], ...before })
        const held = ['a', 'b'].map((named) => world.send('POST', maps, one(named, { held: HOLDER })))
        await holder.holds(namespace, 2)
        await world.patch(quota, { spec: after })
        expect(await world.notReady(quota, WIDENED)).toBe('SpecChanged')
        expect(condition(await world.read(quota), 'Ready')?.message).toMatch(/at about \d{4}-\d\d-\d\dT[\d:]+Z$/)
        const refused = await world.send('POST', maps, one('c'))
        expect([refused.status, refused.text]).toEqual([429, expect.stringContaining(WIDENED)])
        holder.letGo(namespace)
        const statuses = (await Promise.all(held)).map(({ status }) => status)
        // The API server asks both webhooks at once, so allot may have been asked only after the change.
        for (const status of statuses) expect(status).toBeOneOf([201, 429])
        const stored = statuses.filter((status) => status === 201).length
        await world.used(quota, String(stored))
        // A request that costs nothing more is allowed all the time.
        if (statuses[0] === 201) await world.patch(`${maps}/a`, { metadata: { labels: { further: 'yes' } } })
        expect((await world.send('POST', maps, one('d'))).status).toBe(429)
        await world.delete(quota)
      },
    )

    test('allows nothing for a while after a change and the change back', async () => {
      const { world } = suite
      await world.namespace('cq-changed-back')
      const path = `${quotasIn('cq-changed-back')}/back`
      await world.quota('cq-changed-back', 'back', { limit: '2', sources: [COUNTED_MAPS], ...IN })
      await world.patch(path, { spec: { scopeSelectors: labelled('out') } })
      await world.patch(path, { spec: IN })
      expect(await world.notReady(path, WIDENED)).toBe('SpecChanged')
      expect((await world.send('POST', mapsIn('cq-changed-back'), map('a', 1, { changed: 'in' }))).status).toBe(429)
    })

    test('goes on at once where only its limit changes, or whole kinds and namespaces are left out', async () => {
      const { world } = suite
      await world.namespace('cq-narrowed', 'cq-narrowed')
      const namespaceSelectors = ['cq-narrowed', 'nowhere'].map((pool) => ({ matchLabels: { pool } }))
      const spec = { limit: '1', sources: [SERVICES, COUNTED_MAPS], scopeSelectors: labelled('narrowed') }
      await world.quota(undefined, 'cq-narrowed', { ...spec, namespaceSelectors })
      const path = `${GLOBAL_QUOTAS}/cq-narrowed`
      const create = (named: string) =>
        eventually(
          () => world.send('POST', mapsIn('cq-narrowed'), map(named, 1, { changed: 'narrowed' })),
          ({ text }) => !text.includes('is not ready for generation') && !text.includes('are being counted'),
        )
      await world.patch(path, { spec: { limit: '2' } })
      expect((await create('a')).status).toBe(201)
      await world.used(path, '1')
      await world.delete(`${mapsIn('cq-narrowed')}/a`)
      await world.used(path, '0')
      await world.patch(path, { spec: { sources: [COUNTED_MAPS], namespaceSelectors: namespaceSelectors.slice(0, 1) } })
      expect((await create('b')).status).toBe(201)
      const { status } = await world.read(`${ledgersIn('allot-system')}/cq-narrowed`)
      expect(status.outstanding).not.toContain('%s/')
      await world.delete(path)
    })
  })

for (const { name, available, start } of operatedServers)
  describe(`${name}: a custom quota whose spec was changed`, { skip: !available }, () => {
    const suite = forQuotas(() => start({ args: ['--apiserver-request-timeout=1s'] }))

    test('opens when no request of before can be stored any more, and counts them all', async () => {
      const { world } = suite
      await world.namespace('cq-opens')
      const path = `${quotasIn('cq-opens')}/opens`
      const create = (named: string) => world.send('POST', mapsIn('cq-opens'), map(named, 1, { changed: 'in' }))
      await world.quota('cq-opens', 'opens', {
        limit: '2',
        sources: [COUNTED_MAPS],
        scopeSelectors: labelled('out'),
      })
      expect((await create('a')).status).toBe(201)
      // Twice: the time begins with the last change.
      await world.patch(path, { spec: { scopeSelectors: labelled('other') } })
      await world.patch(path, { spec: { scopeSelectors: labelled('in') } })
      expect(await world.notReady(path, WIDENED)).toBe('SpecChanged')
      await eventually(
        () => create('b'),
        ({ status }) => status === 201,
      )
      expect((await create('c')).status).toBe(403)
      await world.used(path, '2')
    })
  })
