import { expect, test } from 'vitest'
import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { compileQuota } from './compile-quota.ts'
import { DEFAULT_BOUNDS, type QuotaBounds } from './quota-bounds.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { type AnyQuota, TrackedQuota } from '../operate/tracking/tracked-quota.ts'
import { QuotaCount } from '../../counted/count/quota-count.ts'
import { matchQuotas } from './match-quotas.ts'

const SIZES = { apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size' }
const tracked = (spec: object, bounds: Partial<QuotaBounds> = {}): TrackedQuota => {
  const { apiVersion, kind } = customQuota
  const quota: AnyQuota = customQuota.read({ apiVersion, kind, metadata: { namespace: 'n', name: 'q' }, spec })
  return new TrackedQuota(
    quota,
    compileQuota(quota.spec, { strictPaths: false, bounds: { ...DEFAULT_BOUNDS, ...bounds } }),
  )
}
const map = (size: string, labels: Readonly<Record<string, string>> = {}, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name: 'm', labels, ...more },
  data: { size },
})
const match = (quota: TrackedQuota, object: KubeObject, oldObject?: KubeObject) => {
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE'
  const reviewed = { operation, namespace: 'n', name: 'm', uid: 'u', base: '', object, oldObject } as const
  const { matched, unmeasurable, broken } = matchQuotas([quota], reviewed)
  return {
    costs: matched.map(({ cost, oldCost }) => [oldCost.toString(), cost.toString()]),
    unmeasurable: unmeasurable.length,
    broken: broken.length,
  }
}
const NOTHING = { costs: [], unmeasurable: 0, broken: 0 }

test('an object costs what it is and what it was, and nothing where the quota did not count it', () => {
  const quota = tracked({ limit: 9, sources: [SIZES], scopeSelectors: [{ matchLabels: { counted: 'yes' } }] })
  const counted = { counted: 'yes' }
  expect(match(quota, map('3', counted))).toEqual({ ...NOTHING, costs: [['0', '3']] })
  expect(match(quota, map('3', counted), map('2', counted))).toEqual({ ...NOTHING, costs: [['2', '3']] })
  expect(match(quota, map('3', counted), map('2'))).toEqual({ ...NOTHING, costs: [['0', '3']] })
  expect(match(quota, map('3'), map('2', counted))).toEqual(NOTHING)
})

test('an object that cannot be measured is refused, unless it could not be measured before either', () => {
  const quota = tracked({ limit: 9, sources: [SIZES] })
  expect(match(quota, map('many'))).toEqual({ ...NOTHING, unmeasurable: 1 })
  expect(match(quota, map('many'), map('2'))).toEqual({ ...NOTHING, unmeasurable: 1 })
  expect(match(quota, map('many', { a: 'b' }), map('many'))).toEqual(NOTHING)
  expect(match(quota, map('2'), map('many'))).toEqual({ ...NOTHING, costs: [['0', '2']] })
})

test('a quota whose spec became too large by a flag closes its kinds, but not for requests that take finalizers away', () => {
  const quota = tracked({ limit: 9, sources: [SIZES, SIZES] }, { sources: 1 })
  expect(quota.compiled).toBeUndefined()
  expect(quota.kinds).toEqual([{ group: '', version: 'v1', kind: 'ConfigMap' }])
  expect(match(quota, map('2'))).toEqual({ ...NOTHING, broken: 1 })
  expect(match(quota, map('2', { counted: 'yes' }), map('2'))).toEqual({ ...NOTHING, broken: 1 })
  expect(match(quota, map('2'), map('2', {}, { finalizers: ['a.test/b'] }))).toEqual(NOTHING)
})

test('a global quota counts only in the namespaces that it selects', () => {
  const quota = globalCustomQuota.read({
    apiVersion: globalCustomQuota.apiVersion,
    kind: globalCustomQuota.kind,
    metadata: { name: 'q' },
    spec: { limit: 9, sources: [SIZES], namespaceSelectors: [{ matchLabels: { team: 'a' } }] },
  })
  const global = new TrackedQuota(quota, compileQuota(quota.spec, { strictPaths: false, bounds: DEFAULT_BOUNDS }))
  expect(match(global, map('2'))).toEqual(NOTHING)
  expect(global.select('n', true)).toBe(true)
  expect(match(global, map('2'))).toEqual({ ...NOTHING, costs: [['0', '2']] })
})

test.for([
  ['True', 'Succeeded', true],
  ['False', 'Failed', false],
  // The ledger itself is closed then, also where quotas that are not ready refuse nothing.
  ['False', 'LedgerLost', true],
] as const)(
  'a counted quota whose condition Ready is %s because of %s is decided on: %s',
  ([status, reason, isDecided]) => {
    const quota = tracked({ limit: 9, sources: [SIZES] })
    const count = new QuotaCount('n', { has: () => true }, () => undefined)
    count.countedAt = '1'
    quota.resolution = { targets: [{ count } as never], problems: [] }
    const condition = { type: 'Ready', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    quota.quota = { ...quota.quota, status: { observedGeneration: 0, conditions: [condition], targets: [] } }
    expect(quota.isReady).toBe(isDecided)
  },
)

test('all CustomQuotas of a namespace share the work on one object, and a global quota has its own', () => {
  // Each costs nearly what one quota may.
  const dear = { ...SIZES, path: '', cel: "quantity(string(object.data.size.split(',').all(x, x != 'z') ? 1 : 0))" }
  const object = map(Array.from({ length: 2_200 }, () => 'a').join(','))
  const alone = match(tracked({ limit: 9, sources: [dear] }), object)
  expect(alone).toEqual({ ...NOTHING, costs: [['0', '1']] })
  const globalQuota = globalCustomQuota.read({
    apiVersion: globalCustomQuota.apiVersion,
    kind: globalCustomQuota.kind,
    metadata: { name: 'g' },
    spec: { limit: 9, sources: [dear] },
  })
  const compiled = compileQuota(globalQuota.spec, { strictPaths: false, bounds: DEFAULT_BOUNDS })
  const quotas = [
    ...Array.from({ length: 60 }, () => tracked({ limit: 9, sources: [dear] })),
    new TrackedQuota(globalQuota, compiled),
  ]
  const reviewed = { operation: 'CREATE', namespace: 'n', name: 'm', uid: 'u', base: '', object, oldObject: undefined }
  const { matched, unmeasurable } = matchQuotas(quotas, reviewed as Parameters<typeof matchQuotas>[1])
  expect(matched.length).toBeLessThan(10)
  expect(matched.at(-1)?.tracked.isGlobal).toBe(true)
  expect(matched.length + unmeasurable.length).toBe(61)
  expect(unmeasurable.at(-1)?.error.message).toContain('cost')
})
