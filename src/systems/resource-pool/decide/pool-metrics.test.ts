import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { claimOf, inPool, poolOf, settle } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { decimalOf, percentageOf } from '../../../quantity/exact-decimal.ts'
import { CLAIM_METRICS, claimMetrics, POOL_METRICS, poolMetrics, type PoolSample } from './pool-metrics.ts'

interface Golden {
  readonly name: string
  readonly series: readonly string[]
  readonly types: readonly string[]
}
const golden: readonly Golden[] = JSON.parse(
  readFileSync(new URL('../../../../test/golden/pools-metrics.json', import.meta.url), 'utf8'),
)

/** Name and labels of a line as Prometheus prints it, and the value. */
function read(line: string): readonly [string, number] {
  const at = line.lastIndexOf(' ')
  return [line.slice(0, at), Number(line.slice(at + 1))]
}

function keyOf({ name, labels }: PoolSample): string {
  const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${name}{${pairs.map(([label, value]) => `${label}="${value}"`).join(',')}}`
}

/** Capsule divides floats: its last digit may be off by one. */
function check(samples: readonly PoolSample[], lines: readonly string[]): void {
  const wanted = new Map(lines.map(read))
  expect(samples.map(keyOf).toSorted()).toEqual([...wanted.keys()].toSorted())
  for (const sample of samples) {
    const value = wanted.get(keyOf(sample)) ?? Number.NaN
    expect(Math.abs(Number(sample.value) - value)).toBeLessThanOrEqual(Math.abs(value) * 2 ** -52)
  }
}

const seriesOf = (name: string): Golden => golden.find((one) => one.name === name)!

test('a pool has the series that Capsule printed', () => {
  const hard = { 'limits.cpu': '2', 'limits.memory': '2Gi', 'requests.cpu': '3', 'requests.memory': '2Gi' }
  const claims = [
    claimOf('too-big', { 'requests.cpu': '2', 'requests.memory': '128Mi' }, { namespace: 'golden-a' }),
    claimOf('small', { 'requests.cpu': '250m', 'limits.cpu': '1' }, { namespace: 'golden-b' }),
    claimOf('auto', { 'requests.cpu': '100m' }, { namespace: 'golden-b' }),
  ].map((claim) => ({ ...claim, spec: { ...claim.spec, pool: 'golden-pool' } }))
  const { pool } = settle(
    poolOf('golden-pool', { quota: { hard } }),
    claims,
    inPool('golden-pool', 'golden-a', 'golden-b'),
  )
  check(poolMetrics(pool), seriesOf('metrics pool_golden-pool').series)
})

test('a pool whose claims wait has the series that Capsule printed', () => {
  const hard = { 'requests.cpu': '2500m', 'requests.memory': '2Gi', 'requests.storage': '10Gi' }
  const claims = [
    claimOf('one', { 'requests.cpu': '1500m' }, { age: 1, namespace: 'golden-a' }),
    claimOf('two', { 'requests.cpu': '1', 'requests.memory': '1Gi' }, { age: 2, namespace: 'golden-a' }),
    claimOf('three', { 'requests.cpu': '250m' }, { age: 3, namespace: 'golden-a' }),
    claimOf('four', { 'requests.memory': '512Mi' }, { age: 4, namespace: 'golden-a' }),
    claimOf('five', { 'requests.storage': '1Gi' }, { age: 5, namespace: 'golden-a' }),
  ].map((claim) => ({ ...claim, spec: { ...claim.spec, pool: 'golden-ordered' } }))
  const pool = poolOf('golden-ordered', { quota: { hard }, config: { orderedQueue: true } })
  const { pool: after } = settle(pool, claims, inPool('golden-ordered', 'golden-a'))
  check(poolMetrics(after), seriesOf('metrics pool_golden-ordered').series)
})

test('a claim has its conditions, amounts and pool', () => {
  const { claims } = settle(
    poolOf('p', { quota: { hard: { 'requests.cpu': '1' } } }),
    [claimOf('x', { 'requests.cpu': '100m' })],
    inPool('p', 'a'),
    {
      a: { hard: { 'requests.cpu': '100m' }, used: { 'requests.cpu': '50m' } },
    },
  )
  expect(claims.flatMap((claim) => claimMetrics(claim, 9)).map((sample) => `${keyOf(sample)} ${sample.value}`)).toEqual(
    [
      'capsule_claim_condition{condition="Ready",name="x",target_namespace="a"} 1',
      'capsule_claim_condition{condition="Exhausted",name="x",target_namespace="a"} 0',
      'capsule_claim_condition{condition="Bound",name="x",target_namespace="a"} 1',
      'capsule_claim_pool{name="x",pool="p",target_namespace="a"} 1',
      'capsule_claim_resource{name="x",resource="requests.cpu",target_namespace="a"} 0.1',
    ],
  )
  expect(claimMetrics(claimOf('y', {}, { pool: '' }), 9).map(keyOf)).toEqual([
    'capsule_claim_pool{name="y",pool="",target_namespace="a"}',
  ])
})

test('waiting claims are reported in percent of the room that is left', () => {
  const pool = poolOf(
    'p',
    { quota: { hard: { memory: '2Gi', cpu: '2' } } },
    {
      status: {
        allocation: { hard: { memory: '2Gi', cpu: '2' } },
        exhaustions: {
          memory: { available: '1207959552', requesting: '10737418240' },
          cpu: { available: '125m', requesting: '5500m' },
        },
      },
    },
  )
  const rows = poolMetrics(pool).filter(({ name }) => name.startsWith('capsule_pool_exhaustion'))
  expect(rows.map((sample) => [keyOf(sample), Number(sample.value)])).toEqual([
    ['capsule_pool_exhaustion{pool="p",resource="memory"}', 10737418240],
    ['capsule_pool_exhaustion_percentage{pool="p",resource="memory"}', 788.8888888888889],
    ['capsule_pool_exhaustion{pool="p",resource="cpu"}', 5.5],
    ['capsule_pool_exhaustion_percentage{pool="p",resource="cpu"}', 4300],
  ])
})

test('help texts and labels are those of Capsule', () => {
  const gauges = { ...POOL_METRICS, ...CLAIM_METRICS }
  const helps = golden.flatMap(({ types }) => types).filter((line) => line.startsWith('# HELP'))
  for (const line of helps)
    expect(Object.entries(gauges).map(([name, { help }]) => `# HELP ${name} ${help}`)).toContain(line)
})

test('amounts and percentages are written exactly', () => {
  const read = (text: string): Quantity => Quantity.parse(text)
  expect(['1Ei', '250m', '1n', '-1500m', '0'].map((text) => decimalOf(read(text)))).toEqual([
    '1152921504606846976',
    '0.25',
    '0.000000001',
    '-1.5',
    '0',
  ])
  expect(percentageOf(read('2'), read('3'))).toBe('66.666666666666667')
  expect(percentageOf(read('1'), read('1Ei'))).toMatch(/^0\.0000000000000000867361737988403/)
  expect([
    percentageOf(read('1'), read('0')),
    percentageOf(read('0'), read('2')),
    percentageOf(read('3'), read('2')),
  ]).toEqual(['0', '0', '150'])
})
