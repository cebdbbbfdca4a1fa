import { expect, test } from 'vitest'
import type { JsonObject } from '../../../machinery/object.ts'
import { formatResourceList } from '../../../quantity/resource-list.ts'
import { compileKarmadaQuota, costsOf } from './costs.ts'

const REQUIREMENTS = { replicaRequirements: { resourceRequest: { cpu: '2' } } }
const cluster = (name: string, replicas?: number) => ({ name, ...(replicas === undefined ? {} : { replicas }) })
const parts = (replicas: number) => [{ name: 'task', replicas, ...REQUIREMENTS }]

const duplicated = (...clusterNames: string[]) => ({
  placement: { clusterAffinity: { clusterNames }, replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
})

test.each<{
  what: string
  spec: JsonObject
  /** The placement that the scheduler says it applied. */
  applied?: JsonObject
  /** The result of the scheduler's last try. */
  scheduled?: string
  pods: string
  cpu: string
}>([
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
  {
    what: 'what a placement duplicates counts once for each target cluster',
    spec: { ...REQUIREMENTS, ...duplicated('a', 'b'), replicas: 6, clusters: [cluster('a', 2), cluster('b', 2)] },
    pods: '12',
    cpu: '24',
  },
  {
    what: 'a placement without a strategy for replicas duplicates them',
    spec: { ...REQUIREMENTS, placement: {}, replicas: 6, clusters: [cluster('a', 2), cluster('b', 2)] },
    pods: '12',
    cpu: '24',
  },
  {
    what: 'what a placement divides counts once',
    spec: {
      ...REQUIREMENTS,
      placement: { ...duplicated('a', 'b').placement, replicaScheduling: { replicaSchedulingType: 'Divided' } },
      replicas: 6,
      clusters: [cluster('a', 2), cluster('b', 2)],
    },
    pods: '6',
    cpu: '12',
  },
  {
    what: 'before a binding is scheduled the clusters count that its placement names',
    spec: { ...REQUIREMENTS, ...duplicated('a', 'b', 'c'), replicas: 2 },
    pods: '6',
    cpu: '12',
  },
  {
    what: 'clusters that a placement excludes, or that are more than it may use, do not count',
    spec: {
      ...REQUIREMENTS,
      placement: {
        clusterAffinity: { clusterNames: ['a', 'b', 'c', 'd'], exclude: ['d'] },
        spreadConstraints: [{ spreadByField: 'cluster', maxGroups: 2 }],
      },
      replicas: 2,
    },
    pods: '4',
    cpu: '8',
  },
  {
    what: 'of groups of clusters the scheduler uses one',
    spec: {
      ...REQUIREMENTS,
      placement: { clusterAffinities: [{ clusterNames: ['a', 'b', 'c'] }, { clusterNames: ['d', 'e'] }] },
      replicas: 1,
    },
    pods: '2',
    cpu: '4',
  },
  {
    what: 'components are duplicated too',
    spec: { ...duplicated('a', 'b'), components: parts(3), clusters: [cluster('a')] },
    pods: '3',
    cpu: '6',
  },
  {
    what: 'clusters that a new placement names count before the scheduler applies it',
    spec: { ...REQUIREMENTS, ...duplicated('a', 'b'), replicas: 2, clusters: [cluster('a', 2)] },
    applied: duplicated('a').placement,
    pods: '4',
    cpu: '8',
  },
  {
    what: 'of the clusters of a placement that was applied those count that the scheduler found',
    spec: { ...REQUIREMENTS, ...duplicated('a', 'b'), replicas: 2, clusters: [cluster('a', 2)] },
    applied: duplicated('a', 'b').placement,
    pods: '2',
    cpu: '4',
  },
  {
    what: 'of a binding that could not be placed only that counts which runs',
    spec: { ...REQUIREMENTS, ...duplicated('a', 'b'), replicas: 6, clusters: [cluster('a', 2), cluster('b', 2)] },
    scheduled: 'False',
    pods: '4',
    cpu: '8',
  },
  {
    what: 'one that could not be placed anywhere costs nothing',
    spec: { ...REQUIREMENTS, replicas: 6, components: parts(3) },
    scheduled: 'False',
    pods: '0',
    cpu: '0',
  },
  {
    what: 'one that was placed counts as before',
    spec: { ...REQUIREMENTS, replicas: 6, clusters: [cluster('a', 2)] },
    scheduled: 'True',
    pods: '6',
    cpu: '12',
  },
])('of what a binding says of its pods the larger counts: $what', ({ spec, applied, scheduled, pods, cpu }) => {
  const quota = compileKarmadaQuota({ hard: { pods: '1', cpu: '1' } })
  const binding = {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata:
      applied === undefined ? {} : { annotations: { 'policy.karmada.io/applied-placement': JSON.stringify(applied) } },
    spec,
    ...(scheduled === undefined ? {} : { status: { conditions: [{ type: 'Scheduled', status: scheduled }] } }),
  }
  expect(formatResourceList(costsOf(quota, binding))).toEqual({ pods, cpu })
})
