// Covers within-ranges.ts, wider-ranges.ts and range-bounds.ts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explained, explainedWith, object, quota } from '../../../../test/insight/explained.ts'
import { rangeRefusal } from '../../../charges/limit-range/range-refusal.ts'
import { withLimitDefaults } from '../../../charges/limit-range/limit-defaults.ts'
import { podDefaults } from '../../../kinds/core/pod/defaults.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { objectOf, objectsOf } from '../../../machinery/read.ts'
import type { Explanation, Remedy } from '../explanation.ts'

const amount = fc.constantFrom('100m', '150m', '300m', '1', '1500m', '2', '7')
const list = fc.record({ cpu: amount, memory: fc.constantFrom('64Mi', '100Mi', '1Gi') }, { requiredKeys: [] })
const container = fc.record({ requests: list, limits: list }, { requiredKeys: [] })
const item = fc.record(
  {
    type: fc.constantFrom('Container', 'Container', 'Pod'),
    min: list,
    max: list,
    maxLimitRequestRatio: fc.record(
      { cpu: fc.constantFrom('1', '1500m', '3'), memory: fc.constant('2') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['type'] },
)

const about = (limits: readonly JsonObject[], resources: readonly JsonObject[]): Explanation =>
  explained({
    template: resources.map((one, index) => ({ name: `c${index}`, resources: one })),
    replicas: 2,
    pods: [],
    quota: quota({ pods: '9' }, { pods: '0' }),
    more: { limitRanges: limits.map((one, index) => object('v1', 'LimitRange', `bounds${index}`, { limits: [one] })) },
  })

const patchOf = ({ command = '' }: Remedy): unknown => JSON.parse(/--patch '(.*)'$/.exec(command)?.[1] ?? '')

/** The pod as an API server completes it. */
const completed = (resources: readonly JsonObject[], ranges: readonly KubeObject[]): KubeObject =>
  withLimitDefaults(
    podDefaults(
      object('v1', 'Pod', 'p', { containers: resources.map((one, index) => ({ name: `c${index}`, resources: one })) }),
    ),
    ranges,
  )

function patched(resources: readonly JsonObject[], remedy: Remedy): readonly JsonObject[] {
  const { spec } = patchOf(remedy) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly JsonObject[] } } }
  }
  return resources.map((one, index) => {
    const change = objectOf(spec.template.spec.containers.find(({ name }) => name === `c${index}`)?.['resources'])
    const sides = ['requests', 'limits'].map((side) => [side, { ...objectOf(one[side]), ...objectOf(change[side]) }])
    return Object.fromEntries(sides) as JsonObject
  })
}

function widened(limits: readonly JsonObject[], remedies: readonly Remedy[]): readonly JsonObject[] {
  return limits.map((one, index) => {
    const own = remedies.filter(({ needs }) => needs.name === `bounds${index}`)
    const operations = own.flatMap((remedy) => objectsOf(patchOf(remedy)))
    return operations.reduce<JsonObject>((item, { path, value }) => {
      const [, , , at, bound = '', resource = ''] = String(path).split('/')
      expect(at).toBe('0')
      return { ...item, [bound]: { ...objectOf(item[bound]), [resource]: value } }
    }, one)
  })
}

const rangesOf = (limits: readonly JsonObject[]): readonly KubeObject[] =>
  limits.map((one, index) => object('v1', 'LimitRange', `bounds${index}`, { limits: [one] }))

describe('a pod that LimitRanges refuse', () => {
  test('is admitted once a remedy is applied', () => {
    let [within, wider] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 3 }),
        fc.array(container, { minLength: 1, maxLength: 3 }),
        (limits, resources) => {
          const { causes, remedies } = about(limits, resources)
          const refusal = rangeRefusal(rangesOf(limits), 'pods', completed(resources, rangesOf(limits)))
          expect(causes.some(({ type }) => type === 'limit-range')).toBe(refusal !== undefined)
          for (const remedy of remedies.filter(({ type }) => type === 'within')) {
            const ranges = rangesOf(limits)
            expect(rangeRefusal(ranges, 'pods', completed(patched(resources, remedy), ranges))).toBeUndefined()
            within++
          }
          const changes = remedies.filter(({ type }) => type === 'limit-range')
          const refusing = causes.filter(({ type }) => type === 'limit-range')
          if (changes.length > 0 && changes.length === refusing.length) {
            const ranges = rangesOf(widened(limits, changes))
            expect(rangeRefusal(ranges, 'pods', completed(resources, ranges))).toBeUndefined()
            wider++
          }
        },
      ),
      {
        numRuns: 400,
        // A request that only a limit gives would follow the limit of the remedy.
        examples: [
          [
            [{ type: 'Container' }, { type: 'Pod', min: { memory: '100Mi' }, max: { memory: '100Mi' } }],
            [{ limits: { memory: '64Mi' } }, { requests: { memory: '100Mi' } }],
          ],
        ],
      },
    )
    // Neither is offered by chance alone.
    expect([within > 40, wider > 40]).toEqual([true, true])
  })
})

const said = ({ remedies }: Explanation): readonly string[] =>
  remedies.filter(({ type }) => type === 'within' || type === 'limit-range').map(({ text }) => text)

test.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
  [
    'the largest limit',
    { type: 'Container', max: { cpu: '500m' } },
    { requests: { cpu: '1' }, limits: { cpu: '2' } },
    [
      'set cpu limits of c0 to 500m, cpu requests of c0 to 500m, which the LimitRanges allow',
      'have LimitRange bounds0 changed: max cpu per Container 2',
    ],
  ],
  [
    'the smallest request',
    { type: 'Container', min: { memory: '100Mi' } },
    { requests: { memory: '64Mi' } },
    [
      'set memory requests of c0 to 100Mi, which the LimitRanges allow',
      'have LimitRange bounds0 changed: min memory per Container 64Mi',
    ],
  ],
  [
    'the smallest request, where none is given',
    { type: 'Container', min: { memory: '100Mi' } },
    {},
    ['set memory requests of c0 to 100Mi, which the LimitRanges allow'],
  ],
  [
    'the ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
    { requests: { cpu: '100m' }, limits: { cpu: '2' } },
    [
      'set cpu requests of c0 to 667m, which the LimitRanges allow',
      'have LimitRange bounds0 changed: maxLimitRequestRatio cpu per Container 20',
    ],
  ],
  [
    'the sum of the pod',
    { type: 'Pod', max: { memory: '1Gi' } },
    { limits: { memory: '3Gi' } },
    [
      'set memory limits of c0 to 1Gi, memory requests of c0 to 1Gi, which the LimitRanges allow',
      'have LimitRange bounds0 changed: max memory per Pod 3Gi',
    ],
  ],
])('names the value that passes: %s', (_title, limit, resources, texts) => {
  expect(said(about([limit], [resources]))).toEqual(texts)
})

const refused = (limit: JsonObject, budget: Parameters<typeof quota>, metadata: object = {}): Explanation => {
  const range = object('v1', 'LimitRange', 'bounds', { limits: [limit] })
  return explained({
    template: [{ name: 'web', resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }],
    replicas: 2,
    pods: [],
    quota: quota(...budget),
    more: { limitRanges: [{ ...range, metadata: { ...range.metadata, ...metadata } }] },
  })
}

test('of two edits the one that the quotas have room for is named, and a lack of room is told', () => {
  const ratio = { type: 'Container', maxLimitRequestRatio: { cpu: '2' } }
  const some = refused(ratio, [{ 'requests.cpu': '300m' }, { 'requests.cpu': '0' }])
  expect(said(some)[0]).toBe('set cpu limits of web to 200m, which the LimitRanges allow')
  const none = refused(ratio, [{ 'requests.cpu': '100m' }, { 'requests.cpu': '0' }])
  expect(said(none)[0]).toContain(', which the LimitRanges allow; quota compute has no room for that yet')
})

test('the LimitRange of a pool is changed in the pool', () => {
  const labels = { 'projectcapsule.dev/pool': 'gold' }
  const { remedies } = refused({ type: 'Container', max: { cpu: '500m' } }, [{ pods: '9' }, { pods: '0' }], { labels })
  expect(remedies.find(({ type }) => type === 'limit-range')).toMatchObject({
    text: 'have the limitRange of pool gold changed: max cpu per Container 1',
    command: `kubectl -n shop patch resourcepool/gold --type=json --patch '[{"op":"replace","path":"/spec/limitRange/limits/0/max/cpu","value":"1"}]'`,
    needs: { verb: 'patch', group: 'capsule.clastix.io', resource: 'resourcepools', name: 'gold' },
  })
})

test('claims of volumes get the storage that passes, also those of a StatefulSet, whose templates nobody can edit', () => {
  const template = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '9Gi' } } } }
  const spec = { replicas: 1, template: { spec: { containers: [{ name: 'db' }] } }, volumeClaimTemplates: [template] }
  const set = object('apps/v1', 'StatefulSet', 'db', spec)
  const range = object('v1', 'LimitRange', 'bounds', {
    limits: [{ type: 'PersistentVolumeClaim', max: { storage: '5Gi' } }],
  })
  const explanation = explainedWith(set, [['statefulsets.apps', [set]]], quota({ pods: '9' }, { pods: '0' }), {
    limitRanges: [range],
  })
  expect(said(explanation)).toEqual([
    'ask for storage 5Gi in data-db-0, which the LimitRanges allow; its volumeClaimTemplates cannot be changed: delete it with --cascade=orphan, and create it again with them',
    'have LimitRange bounds changed: max storage per PersistentVolumeClaim 9Gi',
  ])
})

test('containers that say no limit share the most that a pod may have', () => {
  const limits = [
    { type: 'Container', max: { cpu: '800m' }, min: { memory: '64Mi' }, maxLimitRequestRatio: { cpu: '4' } },
    { type: 'Pod', max: { memory: '500Mi' } },
  ]
  const resources = [{ requests: { cpu: '100m' }, limits: { cpu: '900m' } }, { requests: { memory: '10Mi' } }]
  const { remedies } = about(limits, resources)
  expect(remedies.filter(({ type }) => type === 'within').map(({ text }) => text)).toEqual([
    expect.stringContaining('memory limits of c0 to 250Mi'),
  ])
})

test('a raise beside amounts that a LimitRange refuses covers the amounts that it allows', () => {
  const range = object('v1', 'LimitRange', 'ratio', {
    limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }],
  })
  const { remedies } = explained({
    template: [{ name: 'web', resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }],
    replicas: 2,
    pods: [],
    quota: quota({ 'requests.cpu': '50m', 'limits.cpu': '9' }, { 'requests.cpu': '0', 'limits.cpu': '0' }),
    more: { limitRanges: [range] },
  })
  expect(remedies.filter(({ type }) => type === 'within' || type === 'raise').map(({ text }) => text)).toEqual([
    'set cpu requests of web to 500m, which the LimitRanges allow; quota compute has no room for that yet',
    'have quota compute raised to requests.cpu 1',
  ])
})
