import type { ResourceQuota } from '../../src/kinds/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import type { CustomQuota } from '../../src/systems/custom-quota/api/custom-quota.ts'
import { explain } from '../../src/insight/explain/explain.ts'
import type { Explanation } from '../../src/insight/explain/explanation.ts'
import { type Facts, indexed } from '../../src/insight/explain/facts.ts'

const NAMESPACE = 'shop'
/** A namespace with nothing in it. */
export const NO_FACTS: Facts = {
  namespace: NAMESPACE,
  quotas: [],
  limitRanges: [],
  customQuotas: [],
  karmadaQuotas: [],
  namespaceLabels: {},
  classes: new Map(),
  objects: new Map(),
  ...indexed(new Map()),
  kubectl: 'kubectl -n shop',
  autoscalers: [],
  failures: [],
  notSeen: [],
  now: 0,
}
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' }

/** A container. */
export const app = (name: string, requests: JsonObject = {}): JsonObject => ({ name, resources: { requests } })
export const templateOf = (containers: readonly JsonObject[], spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { ...spec, containers },
})

export function object(
  apiVersion: string,
  kind: string,
  name: string,
  spec: JsonObject,
  owner?: KubeObject,
): KubeObject {
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name ?? '',
            uid: owner.metadata.uid ?? '',
            controller: true,
          },
        ]
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE, uid: `${kind}/${name}`, ownerReferences }, spec }
}

export function quota(
  hard: Readonly<Record<string, string>>,
  used: Readonly<Record<string, string>>,
  metadata: object = {},
): ResourceQuota {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'compute', namespace: NAMESPACE, ...metadata },
    spec: { hard },
    status: { hard, used },
  }
}

/** A CustomQuota of the namespace that has counted all. */
export const customQuota = (
  name: string,
  limit: string,
  used: string,
  sources: CustomQuota['spec']['sources'],
): CustomQuota => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'CustomQuota',
  metadata: { name, namespace: NAMESPACE, generation: 1 },
  spec: { limit, options: { emitMetricPerClaimUsage: false }, sources },
  status: {
    observedGeneration: 1,
    targets: [],
    usage: { used },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Counted', message: '', lastTransitionTime: '' }],
  },
})

interface World {
  readonly template: readonly JsonObject[]
  /** What else the pods are to have; left out: nothing. */
  readonly spec?: JsonObject
  readonly replicas: number
  /** The containers of each pod that runs. */
  readonly pods: readonly (readonly JsonObject[])[]
  readonly quota: ResourceQuota
  /** What the condition of the ReplicaSet says. */
  readonly failure?: string
  readonly more?: Partial<Facts>
}

/** What is said of the Deployment `web`. */
export function explained({
  template,
  spec: podSpec = {},
  replicas,
  pods,
  quota: budget,
  failure,
  more = {},
}: World): Explanation {
  const spec = { replicas, selector: {}, template: templateOf(template, podSpec) }
  const deployment = object('apps/v1', 'Deployment', 'web', spec)
  const bare = object('apps/v1', 'ReplicaSet', 'web-1', spec, deployment)
  const conditions = failure === undefined ? [] : [{ type: 'ReplicaFailure', status: 'True', message: failure }]
  const set = { ...bare, status: { conditions } }
  const running = pods.map((containers, index) => object('v1', 'Pod', `web-1-${index}`, { containers }, set))
  const objects = new Map([
    ['pods', running],
    ['deployments.apps', [deployment]],
    ['replicasets.apps', [set]],
  ])
  return explainedWith(deployment, [...objects], budget, more)
}

export function explainedWith(
  target: KubeObject,
  objects: readonly (readonly [string, readonly KubeObject[]])[],
  budget: ResourceQuota,
  more: Partial<Facts> = {},
): Explanation {
  const byResource = new Map(objects)
  return explain({ object: target, isStored: true }, DEPLOYMENTS, {
    ...NO_FACTS,
    quotas: [budget],
    objects: byResource,
    ...indexed(byResource),
    ...more,
  })
}
