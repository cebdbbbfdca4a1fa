// Covers custom-resources.ts: the schemas, defaults and examples of each kind.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, type KubeObject } from '../machinery/object.ts'
import { applyDefaults } from '../schema/structural/defaults/apply.ts'
import { compileStructural } from '../schema/structural/compile.ts'
import { prune } from '../schema/structural/defaults/prune-unknown.ts'
import type { StructuralSchema } from '../schema/structural/value/structural-schema.ts'
import { validate } from '../schema/structural/value/validate.ts'
import { customQuota } from './custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from './custom-quota/api/global-custom-quota.ts'
import { customResources } from './custom-resources.ts'
import { karmadaQuota } from './karmada-quota/api/karmada-quota.ts'
import { quantityLedger } from './counted/api/quantity-ledger.ts'
import { quotaIncrease } from './quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from './quota-increase/api/quota-service-config.ts'
import { resourcePoolClaim } from './resource-pool/api/claim.ts'
import { resourcePool } from './resource-pool/api/resource-pool.ts'

const HEAD = { apiVersion: 'capsule.clastix.io/v1beta2', metadata: { name: 'x' } }
const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: 'reconciled',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
}
const ALLOCATION = { hard: { 'requests.cpu': '4', pods: 10 }, used: { pods: '0' }, available: {} }
const POOL: KubeObject = {
  ...HEAD,
  kind: 'ResourcePool',
  spec: {
    selectors: [
      { matchLabels: { team: 'north' } },
      { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] },
    ],
    quota: {
      hard: { 'requests.cpu': '4', pods: 10 },
      scopes: ['NotTerminating'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    },
    defaults: { pods: '0' },
    config: { defaultsZero: true, orderedQueue: true, deleteBoundResources: true },
  },
  status: {
    observedGeneration: 1,
    namespaceCount: 1,
    claimCount: 1,
    namespaces: ['north-1'],
    claims: { 'north-1': [{ name: 'first.of.all', namespace: 'north-1', uid: 'u', claims: { pods: '1' } }] },
    allocation: ALLOCATION,
    exhaustions: { pods: { available: '0', requesting: 2 } },
    releasing: { 'north-2': { room: { pods: '1' }, token: 't' } },
    conditions: [CONDITION],
  },
}
const CLAIM: KubeObject = {
  ...HEAD,
  kind: 'ResourcePoolClaim',
  spec: { pool: '', claim: { 'requests.cpu': '500m', pods: 1 } },
  status: {
    observedGeneration: 1,
    pool: { name: 'harbour.north', uid: 'u' },
    condition: CONDITION,
    conditions: [CONDITION],
    allocation: ALLOCATION,
  },
}
const SELECTORS = [
  {
    matchLabels: { team: 'north' },
    matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }],
    fieldSelectors: ['.spec.type=LoadBalancer'],
    celExpressions: ['has(object.spec)'],
  },
]
const QUOTA_SPEC = {
  limit: '5Gi',
  sources: [
    { apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.x', selectors: SELECTORS },
    { group: '', version: 'v1', kind: 'Pod', op: 'sub', cel: "quantity('1')" },
    { kind: 'Service', op: 'count' },
  ],
  scopeSelectors: [{ matchLabels: { team: 'north' } }],
  options: { emitMetricPerClaimUsage: true },
}
const QUOTA_STATUS = {
  observedGeneration: 1,
  usage: { used: '1Gi', available: '4Gi' },
  claims: [{ group: '', version: 'v1', kind: 'Pod', namespace: 'a', name: 'system:x', uid: 'u', usage: '1Gi' }],
  omittedClaims: 7,
  targets: [
    { group: '', version: 'v1', kind: 'Pod', op: 'add', path: '.spec.x', selectors: SELECTORS, scope: 'namespace' },
    { group: '', version: 'v1', kind: 'Pod', op: 'sub', cel: "quantity('1')", scope: 'namespace' },
  ],
  conditions: [CONDITION],
}
const CUSTOM_QUOTA: KubeObject = { ...HEAD, kind: 'CustomQuota', spec: QUOTA_SPEC, status: QUOTA_STATUS }
const GLOBAL_CUSTOM_QUOTA: KubeObject = {
  ...HEAD,
  kind: 'GlobalCustomQuota',
  spec: { ...QUOTA_SPEC, namespaceSelectors: [{ matchLabels: { team: 'north' } }] },
  status: { ...QUOTA_STATUS, namespaces: ['*'] },
}
const OBJECT_REF = { apiGroup: '', apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'x', uid: 'u' }
const TIME = '2026-01-01T00:00:00Z'
const TIMES = { createdAt: TIME, updatedAt: TIME, expiresAt: TIME }
const LEDGER: KubeObject = {
  ...HEAD,
  kind: 'QuantityLedger',
  spec: {
    targetRef: { apiGroup: 'capsule.clastix.io', kind: 'CustomQuota', name: 'x', namespace: 'a', uid: 'u' },
  },
  status: {
    reserved: '1',
    allocated: 3,
    reservations: [{ id: 'r', usage: '1', delta: '1', objectRef: OBJECT_REF, ...TIMES }],
    pendingDeletes: [{ id: 'r', objectRef: OBJECT_REF, createdAt: TIME }],
    outstanding: 'text',
    conditions: [CONDITION],
    resourceQuota: {
      observedGeneration: 1,
      initialized: true,
      namespaces: ['a'],
      used: { pods: '1' },
      reserved: { pods: '1' },
      allocated: { pods: '2' },
      reservations: [{ id: 'r', usage: { pods: 1 }, delta: { pods: 1 }, objectRef: OBJECT_REF, ...TIMES }],
    },
  },
}
const INCREASE: KubeObject = {
  ...HEAD,
  kind: 'QuotaIncrease',
  spec: { hard: { 'count/secrets': -5, 'requests.memory': '1Gi' }, expiresAt: TIME },
  status: { observedGeneration: 1, conditions: [CONDITION] },
}
const KARMADA_QUOTA: KubeObject = {
  apiVersion: 'quota.karmada.io/v1alpha1',
  kind: 'KarmadaQuota',
  metadata: { name: 'x' },
  spec: {
    hard: { cpu: '10', pods: 5 },
    scopes: ['PriorityClass'],
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
  },
  status: {
    hard: { cpu: '10', pods: 5 },
    used: { cpu: '500m', pods: 1 },
    outstanding: '1',
    observedGeneration: 1,
    conditions: [CONDITION],
  },
}
const CONFIG: KubeObject = {
  ...HEAD,
  kind: 'QuotaServiceConfig',
  spec: {
    quotas: [
      {
        name: 'project',
        selector: {
          matchLabels: { team: 'north' },
          matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }],
        },
        mode: 'maximum',
        deleteIneffectiveQuotas: true,
        template: {
          labels: { a: 'b' },
          annotations: { c: 'd' },
          spec: {
            hard: { 'count/secrets': 3 },
            scopes: ['NotTerminating'],
            scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
          },
        },
      },
    ],
  },
}
const KINDS = [
  { kind: resourcePool, full: POOL },
  { kind: resourcePoolClaim, full: CLAIM },
  { kind: customQuota, full: CUSTOM_QUOTA },
  { kind: globalCustomQuota, full: GLOBAL_CUSTOM_QUOTA },
  { kind: quantityLedger, full: LEDGER },
  { kind: quotaIncrease, full: INCREASE },
  { kind: quotaServiceConfig, full: CONFIG },
  { kind: karmadaQuota, full: KARMADA_QUOTA },
] as const

function structuralOf(crd: JsonObject): StructuralSchema {
  const { versions } = crd['spec'] as { versions: readonly [{ schema: { openAPIV3Schema: JsonObject } }] }
  const compiled = compileStructural(versions[0].schema.openAPIV3Schema, { path: 'schema', hasStatus: true })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return compiled.schema
}

test('every kind is exercised here', () => {
  expect(KINDS.map(({ kind }) => kind)).toEqual(customResources)
})

describe.each(KINDS)('$kind.kind', ({ kind, full }) => {
  const schema = structuralOf(kind.crd)

  test('knows every field of an object that has them all', () => {
    expect(prune(schema, full).unknown).toEqual([])
    expect(validate(schema, full)).toEqual([])
    const { spec, status } = kind.read(full)
    expect([spec, status]).toEqual([full['spec'], full['status']])
    expect(spec).toBe(full['spec'])
    expect(status).toBe(full['status'])
  })

  test('is read without a fault from whatever remains of an object', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(40)), (dice) => {
        const read = kind.read(damaged(full, dice) as KubeObject)
        // An object that was read once needs no further change.
        const again = kind.read(read)
        expect(again.spec).toBe(read.spec)
        expect(again.status).toBe(read.status)
      }),
    )
  })

  test('is read as API servers default it, where it is valid', () => {
    let valid = 0
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(150)), (dice) => {
        const object = damaged(full, dice) as KubeObject
        const complete = applyDefaults(schema, object) as KubeObject
        if (validate(schema, complete).length > 0) return
        valid++
        const { spec, status } = kind.read(object)
        // Only some kinds may lack their spec.
        expect([spec, status]).toEqual([
          complete['spec'] ?? kind.read({ ...HEAD, kind: kind.kind }).spec,
          // The CRDs of others give what nobody has seen no status.
          isObject(object['status']) ? complete['status'] : undefined,
        ])
      }),
      { numRuns: 300 },
    )
    expect(valid).toBeGreaterThan(20)
  })
})

test('a pool stored without its config has the defaults of it', () => {
  const { spec } = resourcePool.read({ ...HEAD, kind: 'ResourcePool', spec: { quota: {} } })
  expect(spec.config).toEqual({ defaultsZero: false, orderedQueue: false, deleteBoundResources: false })
})

test('a custom quota stored without its options has the defaults of them', () => {
  const { spec } = customQuota.read({ ...HEAD, kind: 'CustomQuota', spec: { limit: 5, sources: [{ kind: 'Pod' }] } })
  expect(spec).toEqual({
    limit: 5,
    sources: [{ kind: 'Pod', op: 'add' }],
    options: { emitMetricPerClaimUsage: false },
  })
})

test('fields that other programs keep in a ledger survive, those of later versions included', () => {
  const resourceQuota = { used: { pods: '1' }, ofALaterVersion: { deep: [1] } }
  const given = { ...LEDGER, status: { allocated: '1', resourceQuota } }
  expect(prune(structuralOf(quantityLedger.crd), given).unknown).toEqual([])
  expect(quantityLedger.read(given).status).toEqual(given.status)
})

/** The object without some of its fields, with others null or a text; its head stays. The dice decide. */
function damaged(value: unknown, dice: Iterator<number>, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => damaged(item, dice, depth + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): readonly [string, unknown][] => {
      if (depth === 0 && (name in HEAD || name === 'kind')) return [[name, member]]
      const thrown: number = dice.next().value
      if (thrown < 4) return []
      if (thrown < 6) return [[name, null]]
      return [[name, thrown < 7 ? 'x' : damaged(member, dice, depth + 1)]]
    }),
  )
}
