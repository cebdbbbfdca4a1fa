import { expect, test } from 'vitest'
import {
  app,
  customQuota,
  explainedWith,
  NO_FACTS,
  object,
  quota,
  templateOf,
} from '../../../test/insight/explained.ts'
import { explain } from './explain.ts'

test('a quota that counts workloads has nothing to do with the rollout of one that it refuses [32/no-false-cause]', () => {
  const deps = customQuota('deps', '3', '3', [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }])
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

test('a raise for a rollout covers each quota that one of its pods will not fit into [32/more-room]', () => {
  const sized = (cpu: string, memory: string) => templateOf([app('web', { cpu, memory })])
  const deployment = object('apps/v1', 'Deployment', 'web', { replicas: 3, selector: {}, template: sized('2', '2Gi') })
  const set = (name: string, replicas: number, cpu: string, memory: string) =>
    object('apps/v1', 'ReplicaSet', name, { replicas, selector: {}, template: sized(cpu, memory) }, deployment)
  const [old, fresh] = [set('web-1', 3, '1', '1Gi'), set('web-2', 1, '2', '2Gi')]
  const pods = [0, 1, 2].map((index) =>
    object('v1', 'Pod', `web-1-${index}`, { containers: [app('web', { cpu: '1', memory: '1Gi' })] }, old),
  )
  const memory = quota({ 'requests.memory': '6Gi' }, { 'requests.memory': '3Gi' }, { name: 'memory' })
  const roomy = quota({ pods: '4' }, { pods: '3' }, { name: 'roomy' })
  const cpu = quota({ 'requests.cpu': '3' }, { 'requests.cpu': '3' })
  const { causes, remedies } = explainedWith(
    deployment,
    [
      ['pods', pods],
      ['deployments.apps', [deployment]],
      ['replicasets.apps', [old, fresh]],
    ],
    cpu,
    { quotas: [cpu, memory, roomy] },
  )
  expect(causes.map(({ by }) => by.name)).toEqual(['compute'])
  expect(remedies.flatMap(({ type, text }) => (type === 'raise' ? [text] : []))).toEqual([
    'have quota compute raised to requests.cpu 7',
    'have quota memory raised to requests.memory 7Gi',
  ])
})
