import { guessedResource } from '../../../src/api/guessed-resource.ts'
import { type KindOf, Simulator } from '../../../src/insight/simulate/simulate.ts'
import type { Simulation } from '../../../src/insight/simulate/simulation.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { timestamp } from '../../../src/runtime/time/timestamp.ts'

const CLUSTER_WIDE = new Set(['Namespace', 'ResourcePool'])
const CAPSULE = 'capsule.clastix.io/v1beta2'
const NOW = Date.UTC(2026, 0, 1)

const kinds: KindOf = (apiVersion, kind) => ({
  ...guessedResource(apiVersion, kind),
  kind,
  namespaced: !CLUSTER_WIDE.has(kind),
})

const object = (apiVersion: string, kind: string, namespace: string, name: string, rest: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: `${kind} ${namespace}/${name}`,
    resourceVersion: '1',
    creationTimestamp: '2025-12-31T00:00:00Z',
  },
  ...rest,
})

const container = { name: 'app', image: 'registry.example/app', resources: { requests: { cpu: '100m' } } }

function deployment(namespace: string, name: string, replicas: number): KubeObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } }
  const spec = { replicas, selector: { matchLabels: { app: name } }, template }
  const { uid: _, resourceVersion: __, ...made } = object('apps/v1', 'Deployment', namespace, name).metadata
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: made, spec }
}

export interface LargeCluster {
  /** About so many objects there are. */
  readonly objects: number
  readonly manifests: number
  readonly namespaces: number
}

/** Simulates quotas, claims and Deployments on a cluster of pods in namespaces with quotas and of claims on one pool. */
export function simulateOn({ objects, manifests, namespaces }: LargeCluster): Simulation {
  const names = Array.from({ length: namespaces }, (_, at) => `team-${at}`)
  const each = Math.floor(objects / namespaces)
  const state = [
    object(CAPSULE, 'ResourcePool', '', 'main', {
      spec: {
        selectors: [{ matchLabels: { pool: 'main' } }],
        quota: { hard: { 'requests.memory': `${manifests / 8}Gi` } },
      },
    }),
    ...names.flatMap((name) => [
      { ...object('v1', 'Namespace', '', name), metadata: { name, uid: name, labels: { pool: 'main' } } },
      object('v1', 'ResourceQuota', name, 'all', {
        spec: { hard: { pods: String(each + 20), 'requests.cpu': '10k' } },
        status: {
          hard: { pods: String(each + 20), 'requests.cpu': '10k' },
          used: { pods: String(each), 'requests.cpu': `${each * 100}m` },
        },
      }),
      ...Array.from({ length: each }, (_, at) =>
        object('v1', 'Pod', name, `pod-${at}`, { spec: { containers: [container] } }),
      ),
    ]),
  ]
  const simulator = new Simulator({
    state,
    isFromCluster: true,
    kinds,
    decode: (one) => one,
    typeOf: () => undefined,
    namespace: 'default',
    now: NOW,
    timestamp,
  })
  const changes = Array.from({ length: manifests }, (_, at): KubeObject => {
    const namespace = names[at % namespaces] ?? ''
    if (at % 4 === 0)
      return object(CAPSULE, 'ResourcePoolClaim', namespace, `claim-${at}`, {
        spec: { pool: 'main', claim: { 'requests.memory': '1Gi' } },
      })
    if (at % 4 === 1)
      return object('v1', 'ResourceQuota', namespace, `more-${at}`, {
        spec: { hard: { 'limits.cpu': String(at + 1) } },
      })
    return deployment(namespace, `web-${at}`, 3)
  })
  simulator.step(changes.map((change) => ({ operation: 'apply' as const, object: change })))
  return simulator.result()
}

/** Brings pools of one namespace each, with a few claims that name them, to rest. */
export function simulatePools(pools: number): Simulation {
  const names = Array.from({ length: pools }, (_, at) => `pool-${at}`)
  const state = names.flatMap((name) => [
    object(CAPSULE, 'ResourcePool', '', name, { spec: { quota: { hard: { 'requests.cpu': '3' } }, selectors: [] } }),
    ...['a', 'b', 'c', 'd', 'e'].map((claim) =>
      object(CAPSULE, 'ResourcePoolClaim', 'team', `${name}-${claim}`, {
        spec: { pool: name, claim: { 'requests.cpu': '1' } },
      }),
    ),
  ])
  const simulator = new Simulator({
    state,
    isFromCluster: false,
    kinds,
    decode: (one) => one,
    typeOf: () => undefined,
    namespace: 'team',
    now: NOW,
    timestamp,
  })
  return simulator.result()
}
