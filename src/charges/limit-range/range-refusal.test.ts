import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { MOST_VIOLATIONS } from './limit-violations.ts'
import { rangeRefusal } from './range-refusal.ts'

const rangeOf = (...names: readonly string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'r', namespace: 'n' },
  spec: { limits: [{ type: 'Container', min: Object.fromEntries(names.map((name) => [name, '2'])) }] },
})
const podOf = (count: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n' },
  spec: {
    containers: Array.from({ length: count }, (_, at) => ({ name: `c${at}`, resources: { requests: { cpu: '1' } } })),
  },
})
const CPU = 'minimum cpu usage per Container is 2, but request is 1'
const MEMORY = 'minimum memory usage per Container is 2.  No request is specified'

test('nothing is refused without a violation', () => {
  expect(rangeRefusal([], 'pods', podOf(1))).toBeUndefined()
  expect(rangeRefusal([rangeOf('cpu')], 'pods', podOf(0))).toBeUndefined()
})

test('one violation stands alone, and several stand in brackets in the order of the LimitRanges', () => {
  expect(rangeRefusal([rangeOf('cpu')], 'pods', podOf(1))).toBe(CPU)
  expect(rangeRefusal([rangeOf('memory', 'cpu')], 'pods', podOf(1))).toBe(`[${CPU}, ${MEMORY}]`)
  expect(rangeRefusal([rangeOf('memory'), rangeOf('cpu')], 'pods', podOf(1))).toBe(`[${MEMORY}, ${CPU}]`)
})

test('a refusal lists a hundred violations of a LimitRange, and says that there may be more', () => {
  const refusal = (count: number): string => rangeRefusal([rangeOf('cpu')], 'pods', podOf(count)) ?? ''
  const listed = (count: number): string => Array.from({ length: count }, () => CPU).join(', ')
  expect(refusal(MOST_VIOLATIONS - 1)).toBe(`[${listed(MOST_VIOLATIONS - 1)}]`)
  for (const count of [MOST_VIOLATIONS, MOST_VIOLATIONS + 1])
    expect(refusal(count)).toBe(`[${listed(MOST_VIOLATIONS)}, and perhaps more]`)
})

test('a refusal lists no more however many LimitRanges there are, and asks no more of them', () => {
  let asked = 0
  const spied = (range: KubeObject): KubeObject => ({
    ...range,
    get spec() {
      asked++
      return range.spec
    },
  })
  const ranges = Array.from({ length: 5 * MOST_VIOLATIONS }, () => spied(rangeOf('cpu')))
  const listed = Array.from({ length: MOST_VIOLATIONS }, () => CPU).join(', ')
  expect(rangeRefusal(ranges, 'pods', podOf(1))).toBe(`[${listed}, and perhaps more]`)
  expect(asked).toBe(MOST_VIOLATIONS)
})
