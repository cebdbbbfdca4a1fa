import { expect, test } from 'vitest'
import { app, explained, NO_FACTS, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { withChange } from './change.ts'

const replicas: CustomQuota = {
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'CustomQuota',
  metadata: { name: 'replicas', namespace: 'shop', generation: 1 },
  spec: {
    limit: '5',
    options: { emitMetricPerClaimUsage: false },
    sources: [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'add', path: '.spec.replicas' }],
  },
  status: {
    observedGeneration: 1,
    targets: [],
    usage: { used: '4' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Counted', message: '', lastTransitionTime: '' }],
  },
}

test.each([
  [6, 'blocked', ['CustomQuota replicas: 4 of 5 used, 2 more requested'], ['have CustomQuota replicas raised to 6']],
  [5, 'clear', [], []],
  [1, 'clear', [], []],
])('a change to %i replicas costs the difference to the stored object [32/manifests]', (count, ...expected) => {
  const template = [app('w')]
  const full = quota({ pods: '9', 'count/deployments.apps': '1' }, { pods: '0', 'count/deployments.apps': '1' })
  const explanation = explained({ template, replicas: 4, pods: Array.from({ length: 4 }, () => template), quota: full })
  const deployment = (of: number) =>
    object('apps/v1', 'Deployment', 'web', { replicas: of, selector: {}, template: templateOf(template) })
  const facts = { ...NO_FACTS, quotas: [full], customQuotas: [replicas] }
  const resource = { group: 'apps', resource: 'deployments' }
  const said = withChange(explanation, deployment(4), deployment(count), resource, facts)
  expect([said.verdict, said.causes.map(({ text }) => text), said.remedies.map(({ text }) => text)]).toEqual(expected)
})
