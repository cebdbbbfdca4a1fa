import { expect, test } from 'vitest'
import { app, NO_FACTS, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { explain } from './explain.ts'

test('a quota that counts workloads has nothing to do with the rollout of one that it refuses [32/no-false-cause]', () => {
  const deps: CustomQuota = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'deps', namespace: 'shop', generation: 1 },
    spec: {
      limit: '3',
      options: { emitMetricPerClaimUsage: false },
      sources: [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }],
    },
    status: {
      observedGeneration: 1,
      targets: [],
      usage: { used: '3' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Counted', message: '', lastTransitionTime: '' }],
    },
  }
  const spec = { replicas: 1, selector: {}, template: templateOf([app('x')]) }
  const manifest = object('apps/v1', 'Deployment', 'x4', spec)
  const resource = { group: 'apps', resource: 'deployments' }
  const warned = (pods: string) => {
    const facts = { ...NO_FACTS, customQuotas: [deps], quotas: [quota({ pods }, { pods: '0' })] }
    const { causes, warnings } = explain({ object: manifest, isStored: false }, resource, facts)
    return { causes: causes.map(({ refused, by }) => [refused, by.name]), warnings: warnings.map(({ type }) => type) }
  }
  expect(warned('9')).toEqual({ causes: [['Deployment', 'deps']], warnings: [] })
  // One pod fits, and no other beside it.
  expect(warned('1')).toEqual({ causes: [['Deployment', 'deps']], warnings: ['surge'] })
})
