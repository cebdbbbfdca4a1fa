import { describe, expect, test } from 'vitest'
import { formatResourceList, type KubeObject, usageOfPods } from './index.ts'

const template = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '250m' } } }] } }
const workload = (kind: string, spec: object, apiVersion = 'apps/v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'w', namespace: 'n' },
  spec: { template, ...spec },
})

describe('the pods of a workload cost', () => {
  test.each([
    ['a Deployment of four', workload('Deployment', { replicas: 4 }), '4', '1'],
    ['a ReplicaSet that does not say how many', workload('ReplicaSet', {}), '1', '250m'],
    ['a ReplicationController of none', workload('ReplicationController', { replicas: 0 }, 'v1'), '0', '0'],
    ['a StatefulSet', workload('StatefulSet', { replicas: 3 }), '3', '750m'],
    ['a Job', workload('Job', { parallelism: 3, completions: 9 }, 'batch/v1'), '3', '750m'],
    [
      'a Job with fewer completions than run at a time',
      workload('Job', { parallelism: 3, completions: 2 }),
      '2',
      '500m',
    ],
    [
      'a CronJob',
      workload('CronJob', { jobTemplate: { spec: { template, parallelism: 2 } } }, 'batch/v1'),
      '2',
      '500m',
    ],
  ])('in %s as much as all that run at a time', (_what, object, pods, cpu) => {
    const usage = formatResourceList(usageOfPods(object))
    expect([usage['pods'], usage['requests.cpu']]).toEqual([pods, cpu])
  })

  test('in a DaemonSet what they cost on each of the nodes', () => {
    const usage = formatResourceList(usageOfPods(workload('DaemonSet', {}), { nodes: 5 }))
    expect([usage['pods'], usage['requests.cpu']]).toEqual(['5', '1250m'])
  })

  test('in a StatefulSet also what the claims of each cost', () => {
    const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '2Gi' } } } }
    const usage = formatResourceList(
      usageOfPods(workload('StatefulSet', { replicas: 3, volumeClaimTemplates: [claim] })),
    )
    expect([usage['persistentvolumeclaims'], usage['requests.storage']]).toEqual(['3', '6Gi'])
  })
})

test('a kind that makes no pods is rejected with its name, and so is an invalid number of nodes', () => {
  expect(() => usageOfPods(workload('ConfigMap', {}, 'v1'))).toThrow('workload.kind: must be one of Deployment')
  expect(() => usageOfPods(workload('DaemonSet', {}), { nodes: 1.5 })).toThrow('nodes: must be a whole number')
})
