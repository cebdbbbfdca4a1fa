import { describe, expect, test } from 'vitest'
import { limitGauges, type LimitedQuota, limitSamples } from './limit-metrics.ts'

const NAMES = { prefix: 'allot_bench', label: 'bench', kind: 'Bench' }

const quota = (name: string, hard: object, used?: object, namespace = 'n'): LimitedQuota => ({
  metadata: { namespace, name },
  status: { hard: { ...hard }, ...(used && { used: { ...used } }) },
})

const shown = (quotas: readonly LimitedQuota[], most?: number): readonly string[] =>
  [...limitSamples(NAMES, quotas, most)].map(
    ({ name, labels, value }) => `${name}{${Object.values(labels).join(',')}} ${value}`,
  )

describe('the metrics of limits by resource', () => {
  test('show the limit, the use and the percentage of each, exactly', () => {
    expect(shown([quota('q', { cpu: '1500m', memory: '3Gi' }, { cpu: '300m', memory: '1Gi' })])).toEqual([
      'allot_bench_limit{q,n,cpu} 1.5',
      'allot_bench_usage{q,n,cpu} 0.3',
      'allot_bench_usage_percentage{q,n,cpu} 20',
      'allot_bench_limit{q,n,memory} 3221225472',
      'allot_bench_usage{q,n,memory} 1073741824',
      'allot_bench_usage_percentage{q,n,memory} 33.333333333333333',
    ])
  })

  test.each([
    ['a limit of 0 is full', { pods: '0' }, { pods: '0' }, '100'],
    ['use above the limit is more than full', { pods: '2' }, { pods: '3' }, '150'],
  ])('%s', (_what, hard, used, percentage) => {
    expect(shown([quota('q', hard, used)]).at(-1)).toBe(`allot_bench_usage_percentage{q,n,pods} ${percentage}`)
  })

  test('show a limit alone until its use is known, and nothing of a quota without a status', () => {
    expect(shown([quota('q', { pods: '2' }), { metadata: { namespace: 'n', name: 'r' } }])).toEqual([
      'allot_bench_limit{q,n,pods} 2',
    ])
  })

  test('leave out what is no amount and names that no resource can have', () => {
    const names = { pods: 'many', secrets: '3', ['x'.repeat(321)]: '1' }
    expect(shown([quota('q', names)])).toEqual(['allot_bench_limit{q,n,secrets} 3'])
  })

  test('a namespace has a bounded number of series, shared by its quotas, and says what is left out', () => {
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`r${index}`, '1']))
    const rows = shown(
      [quota('b', many), quota('a', { pods: '1' }), quota('c', many), quota('q', many, {}, 'other')],
      5,
    )
    expect(rows.filter((row) => row.includes(',n,'))).toEqual([
      'allot_bench_limit{a,n,pods} 1',
      'allot_bench_limit{b,n,r0} 1',
      'allot_bench_limit{b,n,r1} 1',
      'allot_bench_limit{c,n,r0} 1',
      'allot_bench_limit{c,n,r1} 1',
    ])
    expect(rows).toContain('allot_bench_limits_without_series{n} 12')
    expect(rows).toContain('allot_bench_limits_without_series{other} 3')
  })

  test('every series has a gauge with just its labels', () => {
    const gauges = limitGauges(NAMES)
    const samples = [...limitSamples(NAMES, [quota('q', { a: '1', b: '2' }, { a: '1', b: '1' })], 1)]
    expect(new Set(samples.map(({ name }) => name))).toEqual(new Set(Object.keys(gauges)))
    for (const { name, labels } of samples)
      expect(Object.keys(labels).toSorted()).toEqual(gauges[name]?.labels.toSorted())
  })
})
