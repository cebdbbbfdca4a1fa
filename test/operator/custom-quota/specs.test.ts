import { describe, expect, test } from 'vitest'
import { inParallel } from '../../../src/runtime/tasks/in-parallel.ts'
import { operatedServers } from '../operated.ts'
import { metricsOf } from '../metrics/recorded-metrics.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, map, MAPS, mapsIn, quotasIn } from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const SECRETS = { apiVersion: 'v1', kind: 'Secret' }
const secret = (name: string, annotations: Readonly<Record<string, string>>) => ({
  metadata: { name, labels: { counted: 'yes' }, annotations },
  type: 'Opaque',
})

const MISTAKES = [
  [
    'a path without a dot',
    { ...MAPS, path: 'data.size' },
    'spec.sources[0].path: Invalid value: "data.size": sourcePath must start with \'.\'',
  ],
  ['a path that does not end', { ...MAPS, path: '.data[' }, 'spec.sources[0].path: Invalid value: ".data["'],
  [
    'a CEL value of another type',
    { ...COUNTED_MAPS, op: 'add', cel: 'object.data.size' },
    'invalid CEL expression: spec.sources[0].cel: expression must evaluate to kubernetes.Quantity',
  ],
  [
    'a CEL value that does not parse',
    { ...COUNTED_MAPS, op: 'add', cel: 'quantity(' },
    'invalid CEL expression: spec.sources[0].cel: ERROR',
  ],
  [
    'a field selector that does not parse',
    { ...COUNTED_MAPS, selectors: [{}, { fieldSelectors: ['.data', '.data["size"]'] }] },
    'spec.sources[0].selectors[1].fieldSelectors[1]: Invalid value',
  ],
  [
    'a CEL selector of another type',
    { ...COUNTED_MAPS, selectors: [{ celExpressions: ['true', 'object.data'] }] },
    'spec.sources[0].selectors[0].celExpressions[1]: expression must evaluate to bool, got dyn',
  ],
  [
    'labels with an unknown operator',
    { ...COUNTED_MAPS, selectors: [{ matchExpressions: [{ key: 'a', operator: 'Has' }] }] },
    'spec.sources[0].selectors[0].matchExpressions[0].operator',
  ],
  ['a kind by a pattern', { ...COUNTED_MAPS, kind: '*' }, 'spec.sources[0]: Invalid value: "v1 *": must name one kind'],
] as const

for (const { name, available, share } of operatedServers)
  describe(`${name}: the spec of a custom quota`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test('a quota of selected namespaces that counts objects outside namespaces is warned about', async () => {
      const { world } = suite
      const spec = { limit: '1', sources: [{ apiVersion: 'v1', kind: 'Namespace', op: 'count' }] }
      const create = async (name: string, more: object): Promise<unknown> => {
        const quota = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'GlobalCustomQuota', metadata: { name } }
        const body = { ...quota, spec: { ...spec, ...more } }
        const { status, headers } = await world.send('POST', `${GLOBAL_QUOTAS}?dryRun=All`, body)
        expect(status).toBe(201)
        return headers['warning']
      }
      expect(await create('cq-outside', { namespaceSelectors: [{ matchLabels: { tenant: 'a' } }] })).toContain(
        'counts nothing: its objects are in no namespace',
      )
      expect(await create('cq-labelled', { scopeSelectors })).toBeUndefined()
    })

    test('its sources measure by paths, by CEL with the functions of Kubernetes, and by count, and select by labels, fields and CEL', async () => {
      const { world } = suite
      await world.namespace('cq-spec')
      const secrets = '/api/v1/namespaces/cq-spec/secrets'
      await world.quota('cq-spec', 'all', {
        limit: '100',
        scopeSelectors,
        options: { emitMetricPerClaimUsage: true },
        sources: [
          { ...MAPS, selectors: [{ fieldSelectors: ['.data.size!=7', '.data.class[?(@=="gold")]'] }] },
          {
            group: '',
            version: 'v1',
            kind: 'ConfigMap',
            op: 'add',
            cel: "object.data.list.split(',').map(size, quantity(size))",
            selectors: [{ celExpressions: ["has(object.data.list) && object.data.list.matches('^[0-9,]+$')"] }],
          },
          {
            ...SECRETS,
            op: 'add',
            cel: "quantity(object.metadata.annotations.url.find('[0-9]+m$')).add(quantity('500m'))",
            selectors: [{ celExpressions: ["url(object.metadata.annotations.url).getHost() == 'big.example'"] }],
          },
          {
            ...SECRETS,
            op: 'sub',
            path: '.metadata.annotations.free',
            selectors: [
              {
                fieldSelectors: ['.type=Opaque'],
                celExpressions: ["sets.contains(['a', 'b'], [object.metadata.name])"],
              },
              { matchLabels: { never: 'there' } },
            ],
          },
          { ...SECRETS, op: 'count', selectors: [{ fieldSelectors: ['.metadata.annotations.counted'] }] },
        ],
      })
      const path = `${quotasIn('cq-spec')}/all`
      // 4 by its path; the one of 7 and the one without a class are left out.
      await world.create(mapsIn('cq-spec'), { ...map('gold'), data: { size: '4', class: 'gold' } })
      await world.create(mapsIn('cq-spec'), { ...map('seven'), data: { size: '7', class: 'gold' } })
      await world.create(mapsIn('cq-spec'), { ...map('plain'), data: { size: '9' } })
      // 6 by its list.
      await world.create(mapsIn('cq-spec'), { ...map('list'), data: { list: '1,2,3' } })
      // 2 by the end of its URL and the half on top; less 1.
      await world.create(secrets, secret('a', { url: 'https://big.example/1500m', free: '1' }))
      // Neither the host nor the name is selected, so it counts only once.
      await world.create(secrets, secret('c', { url: 'https://small.example/9000m', free: '1', counted: 'true' }))
      await world.used(path, '12')
      // 12 and 88 would fit; 89 do not.
      const large = { ...map('large'), data: { size: '89', class: 'gold' } }
      expect((await world.send('POST', mapsIn('cq-spec'), large)).text).toContain('at most 88 would fit')
      // Subtracted amounts come off a single time, in whatever order.
      await world.create(secrets, secret('b', { url: 'https://small.example/1m', free: '2' }))
      await world.used(path, '10')
      expect((await world.read(path)).status.targets).toHaveLength(5)
    })

    test('it says whether each counted object has a metric, for both kinds', async ({ expect }) => {
      const { world, server } = suite
      await world.namespace('cq-metrics')
      const spec = (isEmitting: boolean) => ({
        limit: '10',
        sources: [MAPS],
        scopeSelectors,
        ...(isEmitting ? { options: { emitMetricPerClaimUsage: true } } : {}),
      })
      const namespaceSelectors = [{ matchLabels: { pool: 'cq-metrics' } }]
      for (const [quota, isEmitting] of [
        ['each', true],
        ['sums', false],
      ] as const) {
        await world.quota('cq-metrics', quota, spec(isEmitting))
        await world.quota(undefined, `cq-metrics-${quota}`, { ...spec(isEmitting), namespaceSelectors })
      }
      await world.create(mapsIn('cq-metrics'), map('a', 3))
      await world.create(mapsIn('cq-metrics'), map('b', 4))
      for (const quota of ['each', 'sums']) {
        await world.used(`${quotasIn('cq-metrics')}/${quota}`, '7')
        await world.used(`${GLOBAL_QUOTAS}/cq-metrics-${quota}`, '7')
      }
      const series = async (): Promise<readonly string[]> => {
        const { series: all } = await metricsOf(server)
        const isMeant = (one: string): boolean =>
          /_quota_resource_(?:item_)?usage\{/.test(one) && one.includes('cq-metrics')
        return [...all].flatMap(([one, value]) => (isMeant(one) ? [`${one} ${value}`] : [])).toSorted()
      }
      const item = (kind: string, quota: string, name: string, size: number): string =>
        `capsule_${kind}_resource_item_usage{custom_quota="${quota}",group="",kind="ConfigMap",name="${name}",target_namespace="cq-metrics"} ${size}`
      const wanted = [
        ...['each', 'sums'].flatMap((quota) => [
          `capsule_custom_quota_resource_usage{custom_quota="${quota}",target_namespace="cq-metrics"} 7`,
          `capsule_global_custom_quota_resource_usage{custom_quota="cq-metrics-${quota}"} 7`,
        ]),
        item('custom_quota', 'each', 'a', 3),
        item('custom_quota', 'each', 'b', 4),
        item('global_custom_quota', 'cq-metrics-each', 'a', 3),
        item('global_custom_quota', 'cq-metrics-each', 'b', 4),
      ].toSorted()
      await expect.poll(series).toEqual(wanted)
      // A series goes with its object.
      await world.delete(`${mapsIn('cq-metrics')}/b`)
      await expect.poll(series).not.toContainEqual(expect.stringContaining('name="b"'))
      for (const quota of ['each', 'sums']) await world.delete(`${GLOBAL_QUOTAS}/cq-metrics-${quota}`)
    })

    test.each(MISTAKES)('with %s it is refused with the field', async (_, source, problem) => {
      const { world } = suite
      const quota = {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'mistaken' },
        spec: { limit: '1', sources: [source] },
      }
      const { status, json } = await world.send('POST', quotasIn('default'), quota)
      expect([status, (json as { message?: string }).message]).toEqual([403, expect.stringContaining(problem)])
    })

    test('while usage is recorded its sources stay, and its limit is not lowered below what is used', async () => {
      const { world } = suite
      await world.namespace('cq-guard')
      await world.quota('cq-guard', 'guarded', { limit: '10', sources: [MAPS], scopeSelectors })
      const path = `${quotasIn('cq-guard')}/guarded`
      await world.create(mapsIn('cq-guard'), map('a', 4))
      await world.used(path, '4')
      expect(await world.refused('PATCH', path, { spec: { sources: [COUNTED_MAPS] } })).toContain(
        'spec.sources cannot be changed while usage is recorded (usage: 4); create a new CustomQuota instead',
      )
      expect(await world.refused('PATCH', path, { spec: { limit: '3' } })).toContain(
        'spec.limit cannot be lowered below current usage (4); requested limit: 3',
      )
      await world.patch(path, { spec: { limit: '4' } })
      await world.ready(path)
      await world.delete(`${mapsIn('cq-guard')}/a`)
      await world.used(path, '0')
      await world.patch(path, { spec: { limit: '3', sources: [COUNTED_MAPS] } })
      expect(await world.notReady(path, 'the spec counts more than before')).toBe('SpecChanged')
    })
  })

const [up] = operatedServers
describe('allot up: the status of a quota that counts very many objects', () => {
  const suite = forQuotas(up!.share)

  test('lists the largest, says how many it leaves out, and sums all', async () => {
    const { world } = suite
    await world.namespace('cq-many')
    const sizes = Array.from({ length: 1003 }, (_, index) => index + 1)
    await inParallel(sizes, 16, (size) => world.create(mapsIn('cq-many'), map(`m-${size}`, size)))
    await world.quota('cq-many', 'many', { limit: '1000000', sources: [MAPS], scopeSelectors })
    const { status } = await world.read(`${quotasIn('cq-many')}/many`)
    const listed: readonly { usage: string }[] = status.claims
    expect([status.usage.used, listed.length, status.omittedClaims]).toEqual([String((1003 * 1004) / 2), 1000, 3])
    expect(listed.map(({ usage }) => Number(usage)).filter((usage) => usage < 4)).toEqual([])
  })
})
