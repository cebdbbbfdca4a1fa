// Covers custom-quota.ts, karmada-quota.ts and counting-evaluators.ts as src/charges/decide.ts uses them.
import { expect, test } from 'vitest'
import type { Budget } from '../../charges/budget.ts'
import { decide } from '../../charges/decide.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { countsInNamespace, customQuotaBudget, isEnforcedIn, sharedEffort } from './custom-quota.ts'
import { karmadaQuotaBudget } from './karmada-quota.ts'

const READY = [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }]

function customQuota(limit: string, used: string | undefined, more: object = {}): CustomQuota {
  const spec = { limit, sources: [{ apiVersion: 'sea.example/v1', kind: 'Ship', path: '.spec.load' }] }
  const usage = used === undefined ? {} : { usage: { used } }
  return {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'loads', namespace: 'quay', generation: 2 },
    spec,
    status: { observedGeneration: 2, ...usage, conditions: READY },
    ...more,
  } as unknown as CustomQuota
}

const ship = (load: unknown): KubeObject => ({
  apiVersion: 'sea.example/v1',
  kind: 'Ship',
  metadata: { name: 'one', namespace: 'quay' },
  spec: { load },
})

const verdict = (quota: CustomQuota, object: KubeObject): string => verdictOf(customQuotaBudget(quota), object)

function verdictOf(budget: Budget, object: KubeObject): string {
  const decision = decide({
    budgets: [budget],
    attributes: {
      group: 'sea.example',
      resource: 'ships',
      subresource: '',
      operation: 'CREATE',
      name: 'one',
      namespace: 'quay',
      object,
      dryRun: false,
    },
    now: 0,
  })
  if (decision.verdict === 'admitted') return 'admitted'
  const [first] = decision.refusals
  return first.reason === 'scope-error' ? first.message : first.reason
}

test('a custom quota is decided as a budget: by its limit, and closed as its ledger would be', () => {
  expect(verdict(customQuota('10', '7'), ship('3'))).toBe('admitted')
  expect(verdict(customQuota('10', '7'), ship('4'))).toBe('exceeded')
  expect(verdict(customQuota('10', '7'), { ...ship('4'), kind: 'Boat' })).toBe('admitted')
  expect(verdict(customQuota('10', undefined), ship('1'))).toBe('CustomQuota quay/loads is not ready for generation 2')
  expect(verdict(customQuota('10', '7'), ship('much'))).toContain('custom quota usage could not be calculated')
  // Admission goes by the limit of the spec as soon as it is stored.
  const raised = customQuota('10', '7', { metadata: { name: 'loads', namespace: 'quay', generation: 3 } })
  expect(verdict(raised, ship('1'))).toBe('admitted')
  const failed = [{ ...READY[0], status: 'False', reason: 'Failed', message: 'no such kind' }]
  const broken = customQuota('10', '7', { status: { usage: { used: '7' }, conditions: failed } })
  expect(verdict(broken, ship('1'))).toBe('CustomQuota quay/loads is not ready for generation 2')
  expect(verdict(broken, ship('0'))).toBe('admitted')
})

test('a quota that cannot measure an object is closed in the namespace of that object, and in no other', () => {
  const conditions = [
    { ...READY[0], status: 'False', reason: 'Failed', message: 'get usage from quay/odd' },
    {
      ...READY[0],
      type: 'Measured',
      status: 'False',
      message: 'refuses in these namespaces: outside namespaces, "quay"',
    },
  ]
  const quota = customQuota('10', '7', { status: { usage: { used: '7' }, conditions } })
  expect(verdict(quota, ship('1'))).toContain('allows nothing more in namespace "quay"')
  const elsewhere = { ...ship('1'), metadata: { name: 'one', namespace: 'pier' } }
  expect(verdict(quota, elsewhere)).toBe('admitted')
  expect(verdict(quota, { ...ship('1'), metadata: { name: 'one' } })).toContain(
    'allows nothing more outside namespaces',
  )
})

test('an object that lowers the sum of a custom quota needs no room', () => {
  const spec = {
    limit: '10',
    sources: [{ apiVersion: 'sea.example/v1', kind: 'Ship', path: '.spec.load', op: 'sub' }],
  }
  expect(verdict(customQuota('10', '10', { spec }), ship('4'))).toBe('admitted')
})

test('a global quota counts where its selectors say, and where it says itself if nobody may read the namespace', () => {
  const quota = {
    ...customQuota('10', '1'),
    kind: 'GlobalCustomQuota',
    metadata: { name: 'loads' },
    spec: { limit: '10', sources: [], namespaceSelectors: [{ matchLabels: { port: 'north' } }] },
    status: { targets: [], conditions: READY, namespaces: ['pier'] },
  } as unknown as GlobalCustomQuota
  expect(countsInNamespace(quota, 'quay', { port: 'north' })).toBe(true)
  expect(countsInNamespace(quota, 'quay', { port: 'south' })).toBe(false)
  expect(countsInNamespace(quota, 'quay', undefined)).toBe(false)
  expect(countsInNamespace(quota, 'pier', undefined)).toBe(true)
  const { namespaceSelectors: _none, ...everywhere } = quota.spec
  expect(countsInNamespace({ ...quota, spec: everywhere }, 'anywhere', undefined)).toBe(true)
})

test('a quota that refuses nothing is told apart from one that leaves something out', () => {
  const enforced = (reason: string) =>
    customQuota('1', '1', {
      status: { conditions: [...READY, { ...READY[0], type: 'Enforced', status: 'False', reason }] },
    })
  expect(isEnforcedIn(customQuota('1', '1'), 'quay')).toBe(true)
  expect(isEnforcedIn(customQuota('1', '1'), 'kube-system')).toBe(false)
  expect(isEnforcedIn(enforced('EnforcementOff'), 'quay')).toBe(false)
  expect(isEnforcedIn(enforced('ExemptKind'), 'quay')).toBe(true)
  // Nobody runs that would refuse.
  expect(isEnforcedIn(customQuota('1', '1', { status: undefined }), 'quay')).toBe(false)
})

test('a KarmadaQuota counts bindings and nothing else', () => {
  const quota = {
    apiVersion: 'quota.karmada.io/v1alpha1',
    kind: 'KarmadaQuota',
    metadata: { name: 'fleet', namespace: 'quay' },
    spec: { hard: { 'requests.cpu': '4', pods: '9' } },
    status: { hard: { 'requests.cpu': '4', pods: '9' }, used: { 'requests.cpu': '3', pods: '3' } },
  } as unknown as KarmadaQuota
  const budget = karmadaQuotaBudget(quota)
  const evaluator = budget.rule.evaluators.of({ group: 'work.karmada.io', resource: 'resourcebindings' })
  expect(budget.rule.evaluators.of({ group: '', resource: 'pods' })).toBeUndefined()
  const binding: KubeObject = {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { name: 'web-deployment', namespace: 'quay' },
    spec: { replicas: 2, replicaRequirements: { resourceRequest: { cpu: '500m' } } },
  }
  const cost = evaluator?.usage(binding, { now: 0 })
  expect([cost?.['requests.cpu']?.toString(), cost?.['pods']?.toString()]).toEqual(['1', '2'])
})

test('all CustomQuotas of a namespace share the work that measures one object, and a budget measures it once', () => {
  const sources = [{ apiVersion: 'sea.example/v1', kind: 'Ship', path: '.spec.load[*]' }]
  const wide = ship(Array.from({ length: 5000 }, () => 0))
  const effort = sharedEffort()
  const quotas = Array.from({ length: 30 }, () => customQuota('1', '0', { spec: { limit: '1', sources } }))
  const budgets = quotas.map((quota) => customQuotaBudget(quota, effort))
  const verdicts = (object: KubeObject): readonly string[] => budgets.map((budget) => verdictOf(budget, object))
  const first = verdicts(wide)
  expect(first.slice(0, 3)).toEqual(['admitted', 'admitted', 'admitted'])
  expect(first.at(-1)).toContain('custom quota usage could not be calculated')
  expect(verdicts(wide)).toEqual(first)
  // Another object has work of its own.
  expect(new Set(verdicts(ship(['0'])))).toEqual(new Set(['admitted']))
  expect(new Set(quotas.map((quota) => verdict(quota, wide)))).toEqual(new Set(['admitted']))
})
