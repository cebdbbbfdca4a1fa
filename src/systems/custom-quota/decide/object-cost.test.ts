import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiled, CPU_PATH, podWith } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { MeasureError } from './measure-error.ts'
import { costOf, countsIn } from './object-cost.ts'

const CPU = { kind: 'Pod', path: CPU_PATH }
const COUNT = { kind: 'Pod', op: 'count' }

const cost = (sources: readonly JsonObject[], object: KubeObject, strict = false): string | undefined =>
  costOf(compiled({ sources }, strict), object)?.toString()

function failure(sources: readonly JsonObject[], object: KubeObject, strict = false): MeasureError {
  try {
    cost(sources, object, strict)
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
  return expect.unreachable('it was measured')
}

describe('the cost of an object', () => {
  test.each<readonly [string, readonly JsonObject[], string]>([
    ['counts 1', [COUNT], '1'],
    ['adds what the path finds', [CPU], '250m'],
    ['subtracts', [{ ...CPU, op: 'sub' }], '-250m'],
    ['is netted over the sources, in whatever order', [{ ...CPU, op: 'sub' }, COUNT], '750m'],
    ['is the same where the order is another', [COUNT, { ...CPU, op: 'sub' }], '750m'],
    ['is 0 where all is taken back', [CPU, { ...CPU, op: 'sub' }], '0'],
    ['is what CEL says', [{ kind: 'Pod', cel: 'quantity(object.spec.containers[0].resources.requests.cpu)' }], '250m'],
    ['is the sum of a list in CEL', [{ kind: 'Pod', cel: "[quantity('1'), quantity('500m')]" }], '1500m'],
    [
      'is 0 for a path that finds nothing',
      [{ kind: 'Pod', path: '.spec.initContainers[*].resources.limits.cpu' }],
      '0',
    ],
    [
      'is that of the sources that select it',
      [CPU, { ...COUNT, selectors: [{ matchLabels: { tier: 'cold' } }] }],
      '250m',
    ],
  ])('%s', (_, sources, expected) => {
    expect(cost(sources, podWith('250m'))).toBe(expected)
  })

  test('several values are summed up, exactly', () => {
    const containers = ['100m', '0.2', 1, '3n'].map((cpu) => ({ resources: { requests: { cpu } } }))
    expect(cost([CPU], { ...podWith('0'), spec: { containers } })).toBe('1300000003n')
  })

  test('the sum has the format of the first amount that is not 0', () => {
    const spec = { first: '0', second: '1Gi', third: '1M' }
    const paths = ['.spec.first', '.spec.second', '.spec.third']
    expect(
      cost(
        paths.map((path) => ({ kind: 'Pod', path })),
        { ...podWith('0'), spec },
      ),
    ).toBe('1074741824')
  })

  test('no order of sources changes what an object costs', () => {
    const source = fc.record({ op: fc.constantFrom('add', 'sub'), path: fc.constantFrom('.spec.a', '.spec.b') })
    fc.assert(
      fc.property(fc.array(source, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (some, a, b) => {
        const object = { ...podWith('0'), spec: { a: `${a}m`, b: `${b}Ki` } }
        const sources = some.map((one) => ({ kind: 'Pod', ...one }))
        const forth = costOf(compiled({ sources }), object) ?? Quantity.zero
        const back = costOf(compiled({ sources: sources.toReversed() }), object) ?? Quantity.zero
        expect(forth.equals(back)).toBe(true)
      }),
    )
  })
})

describe('an object is not counted', () => {
  test.each<readonly [string, KubeObject]>([
    ['of another kind', { ...podWith('1'), kind: 'Service' }],
    ['of another group', { ...podWith('1'), apiVersion: 'apps/v1' }],
    ['in another version', { ...podWith('1'), apiVersion: 'v2' }],
    ['without the labels', podWith('1', { labels: { tier: 'cold' } })],
  ])('%s', (_, object) => {
    const quota = compiled({ sources: [COUNT], scopeSelectors: [{ matchLabels: { tier: 'hot' } }] })
    expect(costOf(quota, object)).toBeUndefined()
    expect(costOf(quota, podWith('1', { labels: { tier: 'hot' } }))?.toString()).toBe('1')
  })

  test('but one that is being deleted still is, whether or not a finalizer holds it', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(cost([COUNT], podWith('1', { deletionTimestamp, deletionGracePeriodSeconds: 1_000_000 }))).toBe('1')
    expect(cost([COUNT], podWith('1', { deletionTimestamp, finalizers: ['example.com/held'] }))).toBe('1')
  })

  test('unless the selectors of a source select it: any entry, all of its parts', () => {
    const selectors = [
      { matchLabels: { tier: 'hot' }, fieldSelectors: ['.spec.priority=7'], celExpressions: ['size(object.spec) > 1'] },
      { fieldSelectors: ['.spec.priority!=7', '.spec.hostNetwork'] },
    ]
    const counted = (spec: JsonObject, labels: JsonObject = {}): boolean =>
      cost([{ ...COUNT, selectors }], { ...podWith('1', { labels }), spec }) !== undefined
    expect(counted({ priority: 7, x: 1 }, { tier: 'hot' })).toBe(true)
    expect(counted({ priority: 7, x: 1 })).toBe(false)
    expect(counted({ priority: 7 }, { tier: 'hot' })).toBe(false)
    expect(counted({ priority: 8, hostNetwork: true })).toBe(true)
    expect(counted({ priority: 8, hostNetwork: false })).toBe(false)
    expect(counted({ hostNetwork: { any: 'object' } })).toBe(true)
  })

  test('a source that names a group alone counts any version of the kind', () => {
    const quota = compiled({ sources: [{ apiVersion: 'apps', kind: 'Deployment', op: 'count' }] })
    for (const apiVersion of ['apps/v1', 'apps/v2']) {
      const object = { apiVersion, kind: 'Deployment', metadata: {} }
      expect(costOf(quota, object)?.toString()).toBe('1')
    }
    expect(costOf(quota, { apiVersion: 'v1', kind: 'Deployment', metadata: {} })).toBeUndefined()
  })
})

describe('an object that cannot be measured', () => {
  test.each<readonly [string, JsonObject, string]>([
    ['a word', { x: 'much' }, 'invalid quantity "much": quantities must match the regular expression'],
    ['an object', { x: { a: '1' } }, 'invalid quantity: the path finds an object or a list'],
    ['an amount below 0, which would make room for others', { x: '-1' }, 'invalid quantity "-1": must not be negative'],
    ['a long word, which is cut', { x: 'y'.repeat(500) }, `invalid quantity "${'y'.repeat(100)}": `],
  ])('%s is an error that names the source', (_, spec, message) => {
    const source = { kind: 'Pod', path: '.spec.x' }
    const error = failure([COUNT, source], { ...podWith('1'), spec })
    expect(error.measured).toBe('amount')
    expect(error.message).toContain(message)
    expect(error.source).toMatchObject(source)
  })

  test('an amount below 0 beside a larger one is one too', () => {
    const spec = { x: ['5', '-1'] }
    expect(failure([{ kind: 'Pod', path: '.spec.x[*]' }], { ...podWith('1'), spec }).message).toContain('negative')
  })

  test('CEL that fails, or is below 0', () => {
    const by = (cel: string): string => failure([{ kind: 'Pod', cel }], podWith('1')).message
    expect(by('quantity(object.spec.none)')).toBe('no such key: none')
    expect(by("quantity('1').sub(quantity('2'))")).toContain('must not be negative')
    expect(by('object.spec.containers.filter(c, false).map(c, quantity("1"))')).toContain(
      'returned an empty quantity list',
    )
  })

  test('a selector that fails', () => {
    const selectors = [{ fieldSelectors: ['.spec.containers[7].name'] }]
    const error = failure([{ ...COUNT, selectors }], podWith('1'))
    expect([error.measured, error.message]).toEqual([
      'selectors',
      'execute usage jsonpath: array index out of bounds: index 7, length 1',
    ])
  })

  test('with strict paths a path that finds nothing, as in Capsule', () => {
    expect(failure([CPU], podWith(undefined), true).message).toBe('quantity path did not resolve to any value')
    expect(cost([CPU], podWith(undefined))).toBe('0')
  })

  test('a filter on a scalar, with strict paths only', () => {
    const source = { ...COUNT, kind: 'Service', selectors: [{ fieldSelectors: ['.spec.type[?(@=="LoadBalancer")]'] }] }
    const service = (type: string): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: {}, spec: { type } })
    expect(cost([source], service('LoadBalancer'))).toBe('1')
    expect(cost([source], service('ClusterIP'))).toBeUndefined()
    expect(failure([source], service('LoadBalancer'), true).message).toContain('is not array or slice')
  })

  test('a filter on a scalar in a quantity path, whatever the flag', () => {
    const source = { kind: 'Pod', path: '.spec.x[?(@>1)]' }
    expect(failure([source], { ...podWith('1'), spec: { x: 2 } }).message).toContain('is not array or slice')
  })
})

describe('the work of measuring an object is bounded', () => {
  const large: KubeObject = {
    ...podWith('1'),
    spec: { list: Array.from({ length: 3000 }, (_, at) => ({ at: [at] })), text: 'x'.repeat(1_000_000) },
  }

  test.each<readonly [string, JsonObject]>([
    ['paths that visit much', { kind: 'Pod', path: '..at..x' }],
    ['several of them together', { kind: 'Pod', path: '.spec.list[*].at[*]' }],
    ['texts that are printed again and again', { kind: 'Pod', path: `.spec[${"'text',".repeat(100)}'text']` }],
  ])('%s', (_, source) => {
    expect(failure([source, source, source, source], large).message).toContain('visit too many values')
  })

  test('conditions that visit much', () => {
    const source = {
      ...COUNT,
      selectors: [{ celExpressions: ['object.spec.list.all(x, object.spec.list.all(y, true))'] }],
    }
    expect(failure([source], large).message).toContain('cost limit exceeded')
  })

  test('conditions that each cost little', () => {
    const celExpressions = Array.from({ length: 60 }, () => 'object.spec.list.map(x, x.at).size() > 0')
    expect(failure([{ ...COUNT, selectors: [{ celExpressions }] }], large).measured).toBe('selectors')
  })

  test('a large object that nobody looks into is counted', () => {
    expect(cost([{ ...COUNT, selectors: [{ fieldSelectors: ['.spec', '.spec.text'] }] }], large)).toBe('1')
  })
})

describe('namespaces', () => {
  const selected = compiled({
    sources: [COUNT],
    namespaceSelectors: [{ matchLabels: { team: 'a' } }, { matchLabels: { team: 'b' } }],
  })

  test('are those that any selector selects', () => {
    expect(countsIn(selected, 'x', { team: 'a' })).toBe(true)
    expect(countsIn(selected, 'x', { team: 'b', more: '' })).toBe(true)
    expect(countsIn(selected, 'x', { team: 'c' })).toBe(false)
    expect(countsIn(selected, 'x', undefined)).toBe(false)
  })

  test('leave out objects outside of namespaces where there are selectors', () => {
    expect(countsIn(selected, '', { team: 'a' })).toBe(false)
    expect(countsIn(compiled({ sources: [COUNT], namespaceSelectors: [] }), '', undefined)).toBe(true)
  })

  test('are none for an entry without any member, and all for one with empty labels', () => {
    expect(countsIn(compiled({ sources: [COUNT], namespaceSelectors: [{}] }), 'x', {})).toBe(false)
    expect(countsIn(compiled({ sources: [COUNT], namespaceSelectors: [{ matchLabels: {} }] }), 'x', {})).toBe(true)
  })
})
