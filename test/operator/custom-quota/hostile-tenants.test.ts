import { describe, expect, test } from 'vitest'
import { inParallel } from '../../../src/runtime/tasks/in-parallel.ts'
import { metricsOf } from '../metrics/recorded-metrics.ts'
import { operatedServers } from '../operated.ts'
import { claimsIn, condition } from '../pool-objects.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, map, mapsIn, quotasIn } from './quota-world.ts'

/** It would clear a terminal, and write a line that looks like one about another object. */
const FORGED = '\u001b[2J\u009b31m\u202e\nget usage from honest/map (/v1, Kind=ConfigMap): fine'
/** All that a message may hold besides the line breaks that it is put together with. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface Said {
  readonly reason: string
  readonly note: string
}

for (const { name, available, share } of operatedServers)
  describe(`${name}: hostile tenants`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)
    const globalQuota = async (quota: string, spec: object) => {
      const head = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'GlobalCustomQuota', metadata: { name: quota } }
      return suite.world.create(GLOBAL_QUOTAS, { ...head, spec: { limit: '10', ...spec } })
    }

    test('write no control characters and no lines of their own into what others read, and hide nobody', async () => {
      const { world } = suite
      await world.namespace('forger')
      await world.claim('forger', 'claim', { 'requests.cpu': '1' }, FORGED.repeat(500))
      for (const [of, k] of Object.entries({ a: FORGED, b: `${FORGED}${'K'.repeat(90_000)}`, c: 'plain' }))
        await world.create(mapsIn('forger'), { ...map(of, 1, { counted: 'forger' }), data: { k } })
      await globalQuota('forger', {
        scopeSelectors: [{ matchLabels: { counted: 'forger' } }],
        sources: [{ ...COUNTED_MAPS, selectors: [{ celExpressions: ["object.data[object.data.k] == 'x'"] }] }],
      })
      await world.notReady(`${GLOBAL_QUOTAS}/forger`, 'no such key: plain')
      const { message } = condition(await world.read(`${GLOBAL_QUOTAS}/forger`), 'Ready') ?? { message: '' }
      expect(message.split('\n').map((line: string) => line.slice(0, 33))).toEqual(
        ['a', 'b', 'c'].map((of) => `evaluate selectors for forger/${of} (`),
      )
      expect(message).toContain(String.raw`no such key: \x1b[2J\u009b31m\u202e\nget usage from honest`)
      const refusal = await world.send('POST', mapsIn('forger'), {
        ...map('d', 1, { counted: 'forger' }),
        data: { k: FORGED },
      })
      expect(refusal.status, refusal.text).toBe(403)
      const refused: string = refusal.json.message
      const claim = await world.until(`${claimsIn('forger')}/claim`, ({ status }) => status?.waiting !== undefined)
      const { waiting, conditions } = claim.status
      const events = await world.until('/apis/events.k8s.io/v1/namespaces/forger/events', ({ items }) =>
        items.some(({ reason }: Said) => reason === 'Unmeasurable'),
      )
      const claimTexts = [waiting.message, waiting.for, ...conditions.map((one: { message: string }) => one.message)]
      const notes = events.items.map(({ note }: Said) => note)
      for (const text of [message, refused, ...claimTexts, ...notes]) expect(text).not.toMatch(HIDDEN)
      for (const text of [refused, ...claimTexts, ...notes]) expect(text).not.toContain('\n')
      for (const text of claimTexts) expect(text.length).toBeLessThan(2_000)
    })

    test('set a bounded part of the metrics that everybody reads, and learn how many objects are left out [security/tenant-metrics]', async ({
      expect,
    }) => {
      const { world, server } = suite
      await world.namespace('many-series')
      await inParallel(Array(110).keys(), 16, async (at) => world.create(mapsIn('many-series'), map(`m-${at}`)))
      await inParallel(Array(10).keys(), 10, async (at) =>
        world.quota('many-series', `q-${at}`, {
          limit: '1000',
          sources: [COUNTED_MAPS],
          options: { emitMetricPerClaimUsage: true },
        }),
      )
      const path = quotasIn('many-series')
      for (let at = 0; at < 10; at++)
        await world.until(`${path}/q-${at}`, ({ status }) => status?.claims?.length >= 110)
      // A server may make objects of its own in a namespace.
      const { items: maps } = await world.read(mapsIn('many-series'))
      const valuesOf = async (metric: string): Promise<readonly number[]> => {
        const { series } = await metricsOf(server)
        return [...series].flatMap(([one, value]) =>
          one.startsWith(`${metric}{`) && one.includes('"many-series"') ? [value] : [],
        )
      }
      await expect
        .poll(() => valuesOf('allot_custom_quota_items_without_series'))
        .toEqual(Array(10).fill(maps.length - 100))
      expect(await valuesOf('capsule_custom_quota_resource_item_usage')).toHaveLength(1_000)
    })

    test('have a bounded number of series of their claims, whatever these ask for', async ({ expect }) => {
      const { world, server } = suite
      await world.namespace('greedy-claims')
      const names = Array.from({ length: 900 }, (_, at) => [`requests.example.com/r-${at}`, '1'])
      for (let at = 0; at < 5; at++)
        await world.claim('greedy-claims', `claim-${at}`, Object.fromEntries(names), FORGED)
      const series = async (): Promise<readonly (readonly [string, number])[]> =>
        [...(await metricsOf(server)).series].filter(([one]) => one.includes('"greedy-claims"'))
      // With a condition and a pool of each.
      await expect
        .poll(async () => (await series()).filter(([one]) => one.startsWith('allot_claim_series_left_out')))
        .toEqual([['allot_claim_series_left_out{target_namespace="greedy-claims"}', 510]])
      const all = await series()
      expect(all).toHaveLength(4_001)
      for (const [one] of all) expect(one).not.toMatch(HIDDEN)
    })

    test('a global quota that can count nothing says so as long as it stands', async () => {
      const { world } = suite
      const never = {
        matchExpressions: ['a', 'b'].map((value) => ({ key: 'team', operator: 'In', values: [value] })),
      }
      const selectors = [{ matchLabels: { team: 'nobody' } }]
      await globalQuota('counts-no-nodes', {
        sources: [{ kind: 'Node', apiVersion: 'v1', op: 'count' }],
        namespaceSelectors: selectors,
      })
      await globalQuota('counts-nowhere', { sources: [COUNTED_MAPS], namespaceSelectors: [never] })
      const said = async (quota: string) =>
        condition(
          await world.until(`${GLOBAL_QUOTAS}/${quota}`, (one) => condition(one, 'Effective') !== undefined),
          'Effective',
        )
      const idle = { status: 'False', reason: 'CountsNothing' }
      expect(await said('counts-no-nodes')).toMatchObject({
        ...idle,
        message: expect.stringContaining(
          'spec.sources[0] (/v1, Kind=Node) counts nothing: its objects are in no namespace',
        ),
      })
      expect(await said('counts-nowhere')).toMatchObject({
        ...idle,
        message: expect.stringContaining('spec.namespaceSelectors: the quota counts nothing'),
      })
      await world.patch(`${GLOBAL_QUOTAS}/counts-nowhere`, { spec: { namespaceSelectors: selectors } })
      await world.until(`${GLOBAL_QUOTAS}/counts-nowhere`, (one) => condition(one, 'Effective') === undefined)
    })
  })
