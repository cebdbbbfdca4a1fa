import { describe, expect, test } from 'vitest'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { persistent } from './diagnose.ts'
import { idleControllers } from './idle-controllers.ts'

const NOW = Date.UTC(2026, 0, 1)
const SERVED = new OfferedResources(
  customResources.map(({ group, version, kind, resource }) => ({
    group,
    version,
    kind,
    resource,
    namespaced: true,
    verbs: ['list'],
  })),
)

const lease = (name: string, ago: number, holder = 'allot-1'): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'allot-system' },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: new Date(NOW - ago * 1000).toISOString() },
})
const LIVE = [lease('allot', 3)]

/** A cluster with allot's kinds, of which nothing hides. */
const EMPTY: ClusterFacts = {
  now: NOW,
  namespace: undefined,
  quotas: [],
  customQuotas: [],
  karmadaQuotas: [],
  ledgers: [],
  pools: [],
  claims: [],
  increases: [],
  increaseConfigs: [],
  classes: new Map(),
  namespaces: new Map(),
  objectsOf: () => [],
  isUnread: () => false,
  offered: SERVED,
  webhooks: [],
  definitions: [],
  conversions: [],
  apiServices: [],
  brokenGroups: [],
  concerned: [],
  leases: [],
  isInstalled: false,
  probe: undefined,
  operators: [],
}

interface Kind {
  readonly kind: string
  readonly facts: (objects: readonly KubeObject[]) => Partial<ClusterFacts>
  /** The status of an object that no controller has seen, as the CRD has it. */
  readonly unseen: object
}

const UNSEEN = { observedGeneration: -1, conditions: [] }
const KINDS: readonly Kind[] = [
  { kind: 'ResourcePool', facts: (all) => ({ pools: all.map((one) => resourcePool.read(one)) }), unseen: UNSEEN },
  {
    kind: 'ResourcePoolClaim',
    facts: (all) => ({ claims: all.map((one) => resourcePoolClaim.read(one)) }),
    unseen: UNSEEN,
  },
  {
    kind: 'CustomQuota',
    facts: (all) => ({ customQuotas: all.map((one) => customQuota.read(one)) }),
    unseen: { ...UNSEEN, targets: [] },
  },
  {
    kind: 'GlobalCustomQuota',
    facts: (all) => ({ customQuotas: all.map((one) => globalCustomQuota.read(one)) }),
    unseen: { ...UNSEEN, targets: [] },
  },
  {
    kind: 'KarmadaQuota',
    facts: (all) => ({ karmadaQuotas: all.map((one) => karmadaQuota.read(one)) }),
    unseen: { observedGeneration: -1 },
  },
  { kind: 'QuotaIncrease', facts: (all) => ({ increases: all.map((one) => quotaIncrease.read(one)) }), unseen: {} },
]

describe.each(KINDS)('a $kind', ({ kind, facts, unseen }) => {
  const found = (status: object | undefined, more: Partial<ClusterFacts> = {}, metadata: object = {}) =>
    idleControllers({
      ...EMPTY,
      ...facts([
        {
          apiVersion: 'x/v1',
          kind,
          metadata: { name: 'one', namespace: 'quay', generation: 2, ...metadata },
          spec: { sources: [] },
          ...(status && { status }),
        },
      ]),
      ...more,
    }).map(({ severity, object, text }) => `${severity} ${object.kind}: ${text}`)
  const seen = (generation: number) => ({
    observedGeneration: generation,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  })

  test('that no controller has looked at is found by its status alone, whatever else is hidden', () => {
    expect(found(unseen)).toEqual([expect.stringMatching(`^error ${kind}: no controller has looked at it: `)])
    const severity = kind === 'QuotaIncrease' ? 'note' : 'error'
    expect(found(unseen, { leases: undefined })).toEqual([expect.stringMatching(`^${severity} ${kind}: no controller`)])
    expect(found(seen(1))).toEqual([
      `error ${kind}: no controller has looked at it since it was changed: the change has no effect`,
    ])
  })

  test('that a controller has looked at, that goes, or of which the status says nothing of that is no finding', () => {
    expect(found(seen(2), { leases: LIVE })).toEqual([])
    expect(found(unseen, { leases: LIVE }, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toEqual([])
    // The controller of another program writes conditions, and no generation.
    const { observedGeneration: _, ...foreign } = seen(2)
    expect(found(foreign, { leases: LIVE })).toEqual([])
    expect(found({ ...foreign, observedGeneration: -1 }, { leases: LIVE })).toEqual([])
  })
})

test('an object that is changed all the time is no finding while a controller follows', () => {
  const look = (generation: number, observedGeneration: number) => {
    const pool = { apiVersion: 'x', kind: 'ResourcePool', metadata: { name: 'one', generation }, spec: {} }
    const status = { observedGeneration, conditions: [] }
    return idleControllers({ ...EMPTY, leases: LIVE, pools: [resourcePool.read({ ...pool, status })] })
  }
  expect(persistent(look(3, 2), look(4, 3))).toEqual([])
  expect(persistent(look(3, 2), look(3, 2))).toHaveLength(1)
})

test('a pool is of no namespace, and is not looked at with one', () => {
  const pool = {
    apiVersion: 'x',
    kind: 'ResourcePool',
    metadata: { name: 'one', generation: 1 },
    spec: {},
    status: UNSEEN,
  }
  const facts = { ...EMPTY, leases: LIVE, pools: [resourcePool.read(pool)] }
  expect(idleControllers(facts)).toHaveLength(1)
  expect(idleControllers({ ...facts, namespace: 'quay' })).toEqual([])
})

describe('kinds without objects', () => {
  const notes = (more: Partial<ClusterFacts>) =>
    idleControllers({ ...EMPTY, ...more }).map(({ severity, object }) => `${severity} ${object.kind} ${object.name}`)
  const webhook = {
    configuration: { apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'allot' } },
    name: 'x',
    isRequired: true,
    rules: [],
    service: undefined,
    trustedUntil: [],
  }

  test('are told in a note where nothing shows that allot runs, and never by a guess', () => {
    const NOTE = ['note CustomResourceDefinition resourcepools.capsule.clastix.io']
    expect(notes({})).toEqual(NOTE)
    // Its last holder has given the Lease back.
    expect(notes({ leases: [lease('allot', 0, '')] })).toEqual(NOTE)
    expect(notes({ offered: new OfferedResources([]) })).toEqual([])
    expect(notes({ leases: undefined })).toEqual([])
    expect(notes({ leases: LIVE })).toEqual([])
    expect(notes({ leases: [lease('42c733ea.clastix.capsule.io', 3)] })).toEqual([])
    expect(notes({ isInstalled: true })).toEqual([])
    expect(notes({ webhooks: [webhook] })).toEqual([])
    for (const hidden of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'deployments'])
      expect(notes({ isUnread: ({ resource }) => resource === hidden })).toEqual([])
  })

  test('a Lease that nobody renews is a warning, if it stays as it is', () => {
    const look = (ago: number) => idleControllers({ ...EMPTY, isInstalled: true, leases: [lease('allot', ago)] })
    expect(look(14)).toEqual([])
    expect(look(3600)).toMatchObject([
      {
        severity: 'warning',
        object: { kind: 'Lease', name: 'allot' },
        text: expect.stringMatching(/^allot-1 has held it until 2025-12-31T23:00:15Z/),
      },
    ])
    expect(persistent(look(3600), look(3600))).toHaveLength(1)
    // The clock of the API server is behind, and the Lease is renewed.
    expect(persistent(look(3600), look(3598))).toEqual([])
  })
})
