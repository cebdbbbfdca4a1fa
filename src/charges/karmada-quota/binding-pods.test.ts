import { expect, test } from 'vitest'
import type { JsonObject } from '../../machinery/object.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { compileKarmadaQuota, costsOf } from './karmada-quota-costs.ts'

const REQUIREMENTS = { replicaRequirements: { resourceRequest: { cpu: '2' } } }
const cluster = (name: string, replicas?: number) => ({ name, ...(replicas === undefined ? {} : { replicas }) })
const parts = (replicas: number) => [{ name: 'task', replicas, ...REQUIREMENTS }]

test.each<{ what: string; spec: JsonObject; pods: string; cpu: string }>([
  {
    what: 'clusters that say nothing run the declared replicas each',
    spec: { ...REQUIREMENTS, replicas: 5, clusters: [cluster('a'), cluster('b')] },
    pods: '10',
    cpu: '20',
  },
  {
    what: 'clusters that get fewer than are declared get the others next',
    spec: { ...REQUIREMENTS, replicas: 5, clusters: [cluster('a', 1), cluster('b')] },
    pods: '5',
    cpu: '10',
  },
  {
    what: 'copies in several clusters are more than is declared',
    spec: { ...REQUIREMENTS, replicas: 5, clusters: [cluster('a', 5), cluster('b', 5)] },
    pods: '10',
    cpu: '20',
  },
  {
    what: 'components without replicas hide no replicas beside them',
    spec: { ...REQUIREMENTS, replicas: 3, components: parts(0) },
    pods: '3',
    cpu: '6',
  },
  {
    what: 'components hide no replicas of clusters beside them',
    spec: { ...REQUIREMENTS, components: parts(1), clusters: [cluster('a', 4)] },
    pods: '4',
    cpu: '8',
  },
  {
    what: 'replicas beside components hide none of these',
    spec: { ...REQUIREMENTS, replicas: 1, components: parts(4) },
    pods: '4',
    cpu: '8',
  },
  {
    what: 'clusters may say more of a component than is declared',
    spec: {
      components: parts(1),
      clusters: ['a', 'b'].map((name) => ({ name, components: [{ name: 'task', replicas: 3 }] })),
    },
    pods: '6',
    cpu: '12',
  },
  {
    what: 'components that only a cluster names are pods without requests',
    spec: { components: parts(1), clusters: [{ name: 'a', components: [{ name: 'job', replicas: 3 }] }] },
    pods: '4',
    cpu: '2',
  },
  {
    what: 'replicas below zero give no room',
    spec: { ...REQUIREMENTS, replicas: -9, components: parts(-1), clusters: [cluster('a', 2), cluster('b', -5)] },
    pods: '2',
    cpu: '4',
  },
])('of what a binding says of its pods the larger counts: $what', ({ spec, pods, cpu }) => {
  const quota = compileKarmadaQuota({ hard: { pods: '1', cpu: '1' } })
  const binding = { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata: {}, spec }
  expect(formatResourceList(costsOf(quota, binding))).toEqual({ pods, cpu })
})
