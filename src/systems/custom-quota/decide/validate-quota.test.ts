import { expect, test } from 'vitest'
import { CPU_PATH, quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { validateCustomQuota } from './validate-quota.ts'

const CPU = { apiVersion: 'v1', kind: 'Pod', path: CPU_PATH }
const SPEC = { limit: '10', sources: [CPU] }
const OPTIONS = { strictPaths: false }

const created = (spec: JsonObject): readonly string[] =>
  validateCustomQuota({ spec: quotaSpec({ ...SPEC, ...spec }) }, undefined, OPTIONS)
const updated = (used: string | undefined, spec: JsonObject, before: JsonObject = SPEC): readonly string[] =>
  validateCustomQuota(
    { spec: quotaSpec({ ...before, ...spec }) },
    { spec: quotaSpec(before), ...(used === undefined ? {} : { status: { usage: { used } } }) },
    OPTIONS,
  )

test.each<readonly [JsonObject, string | RegExp]>([
  [{ limit: '0' }, 'invalid spec.limit: quantity must not be negative or 0: "0"'],
  [{ limit: '-1' }, 'invalid spec.limit: quantity must not be negative or 0: "-1"'],
  [{ sources: [{ kind: 'Pod', cel: 'object.' }] }, /^invalid CEL expression: spec\.sources\[0\]\.cel: ERROR: /],
  [
    { sources: [{ kind: 'Pod', op: 'count', selectors: [{}, { celExpressions: ['true', '1'] }] }] },
    'invalid CEL expression: spec.sources[0].selectors[1].celExpressions[1]: expression must evaluate to bool, got int',
  ],
  [
    { sources: [{ kind: 'Pod', path: 'spec' }] },
    `spec.sources[0].path: Invalid value: "spec": sourcePath must start with '.'`,
  ],
])('a quota with %j is refused', (spec, message) => {
  expect(created(spec)).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)])
})

test('a quota that can be counted may be created, and changed while nothing is used', () => {
  expect(created({})).toEqual([])
  for (const used of [undefined, '0'])
    expect(updated(used, { limit: '1', sources: [{ ...CPU, op: 'count', path: '' }] })).toEqual([])
})

test.each<readonly [string, readonly JsonObject[]]>([
  ['another path', [{ ...CPU, path: '.spec.x' }]],
  ['another operation', [{ ...CPU, op: 'sub' }]],
  ['another version', [{ ...CPU, apiVersion: 'v2' }]],
  ['another kind', [{ ...CPU, kind: 'Service' }]],
  ['one more', [CPU, CPU]],
  ['CEL instead', [{ apiVersion: 'v1', kind: 'Pod', cel: "quantity('1')" }]],
])('sources of a quota in use may not change: %s', (_, sources) => {
  expect(updated('2', { sources })).toEqual([
    'spec.sources cannot be changed while usage is recorded (usage: 2); create a new CustomQuota instead',
  ])
})

test('selectors, options and how a kind is spelled may change', () => {
  expect(updated('2', { sources: [{ ...CPU, selectors: [{ matchLabels: { a: 'b' } }] }] })).toEqual([])
  expect(updated('2', { sources: [{ kind: 'Pod', group: '', version: 'v1', path: CPU_PATH }] })).toEqual([])
  expect(updated('2', { options: { emitMetricPerClaimUsage: true } })).toEqual([])
})

test('the limit of a quota in use may be lowered to its usage, and raised from below it', () => {
  const message = 'spec.limit cannot be lowered below current usage (2); requested limit: 1'
  expect(updated('2', { limit: '1' })).toEqual([message])
  expect(updated('2', { limit: '2' })).toEqual([])
  expect(updated('20', { limit: '11' })).toEqual([])
})

test('both are said together', () => {
  expect(updated('2', { limit: '1', sources: [] })).toHaveLength(2)
})

test('a quota that was stored with a problem may change in all but its spec, and be mended', () => {
  const bad = { limit: '10', sources: [{ kind: 'Pod', path: 'spec' }] }
  expect(updated(undefined, {}, bad)).toEqual([])
  expect(updated(undefined, { limit: '11' }, bad)).toHaveLength(1)
  expect(updated(undefined, { sources: [CPU] }, bad)).toEqual([])
})
