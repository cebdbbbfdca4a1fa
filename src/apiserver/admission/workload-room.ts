import { conditionOf } from '../../api/condition.ts'
import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { MutatingWebhookConfiguration } from '../../builtin/admissionregistration-v1.ts'
import { CLUSTER_CLASSES } from '../../insight/explain/cluster-classes.ts'
import { claimTemplates, WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import { type Room, workloadWarnings } from '../../insight/workload-warnings.ts'
import { podTemplateOf } from '../../kinds/apps/pod-template.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { listOf, objectOf, objectsOf } from '../../machinery/read.ts'
import { qualified } from '../../machinery/status.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { ENFORCED } from '../../systems/custom-quota/api/quota-names.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import type { Registry } from '../resource/registry.ts'
import type { Review } from '../storing/review.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'
import { MUTATING } from './webhook/configured-hooks.ts'

const WORKLOADS = new Set([...WORKLOAD_KINDS.values()].map(qualified))
const CLAIMS = 'persistentvolumeclaims'
const CUSTOM = qualified({ group: customQuota.group, resource: customQuota.resource })
const GLOBAL = qualified({ group: globalCustomQuota.group, resource: globalCustomQuota.resource })

/** A warning is no promise: of more quotas of a kind, or LimitRanges, the first are looked at. */
const MOST_LOOKED_AT = 100
/** Of quotas with more limits together, the first are looked at. */
const MOST_LIMITS = 5000
/** A template with more containers, or more amounts of them, is not looked at, and no workload with more templates of claims. */
const MOST_CONTAINERS = 200
const MOST_AMOUNTS = 500
const MOST_CLAIM_TEMPLATES = 50
/** The resources that workloads have made, and all of them. */
const MADE: ReadonlySet<unknown> = new Set(['pods', CLAIMS, 'jobs', 'replicasets', '*', '*/*'])

export interface WorkloadRoomOptions {
  readonly store: StoredObjects
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly now: () => number
}

/** Warns whoever writes a workload that the quotas of its namespace have no room for what it makes. */
export function workloadRoom(options: WorkloadRoomOptions): AdmissionPlugin {
  const validate = ({ resource, subresource, namespace, object, oldObject, warn }: Review): void => {
    if (warn === undefined || subresource !== '' || object === undefined || !WORKLOADS.has(resource.bucket)) return
    if (oldObject !== undefined && oldObject.metadata.generation === object.metadata.generation) return
    const room = roomOf(options, namespace)
    // Both are priced.
    if (room === undefined || hasTooMany(object) || (oldObject !== undefined && hasTooMany(oldObject))) return
    for (const text of workloadWarnings({ resource: resource.id, object, old: oldObject }, room)) warn(text)
  }
  return { name: 'WorkloadRoom', validate }
}

/** Undefined where no quota of the namespace can refuse pods. */
function roomOf({ store, registry, now }: WorkloadRoomOptions, namespace: string): Room | undefined {
  const some = (bucket: string, of: string | undefined): readonly KubeObject[] => [
    ...firstOf(store.latestIn(bucket, of)),
  ]
  const quotas = withFewLimits(some('resourcequotas', namespace).filter(isResourceQuota))
  const customQuotas = [
    ...some(CUSTOM, namespace).map((one) => customQuota.read(one)),
    ...some(GLOBAL, undefined).map((one) => globalCustomQuota.read(one)),
  ].filter(({ status }) => conditionOf(status?.conditions, ENFORCED)?.status !== 'False')
  if (quotas.length === 0 && customQuotas.length === 0) return undefined
  // The workloads of a control plane of Karmada run elsewhere.
  if (registry.ofBucket(qualified(RESOURCE_BINDINGS)) !== undefined) return undefined
  return {
    namespace,
    quotas,
    customQuotas,
    limitRanges: some('limitranges', namespace),
    namespaceLabels: store.latest('namespaces', namespace)?.object.metadata.labels ?? {},
    classes: new Map(
      CLUSTER_CLASSES.map((of) => [
        qualified(of),
        [...store.latestIn(qualified(of), undefined)].map(({ object }) => object),
      ]),
    ),
    isChanged: changesMade(some(MUTATING, undefined)),
    now: now(),
    hasClaim: (name) => store.latest(CLAIMS, `${namespace}/${name}`) !== undefined,
  }
}

function* firstOf(records: Iterable<{ readonly object: KubeObject }>): Iterable<KubeObject> {
  let left = MOST_LOOKED_AT
  for (const { object } of records) {
    if (left-- === 0) return
    yield object
  }
}

function withFewLimits(quotas: readonly ResourceQuota[]): readonly ResourceQuota[] {
  let limits = 0
  return quotas.filter(({ status }) => (limits += Object.keys(status?.hard ?? {}).length) <= MOST_LIMITS)
}

function hasTooMany(workload: KubeObject): boolean {
  const { containers, initContainers } = objectOf(podTemplateOf(workload).spec)
  const all = [...listOf(containers), ...listOf(initContainers)]
  if (all.length > MOST_CONTAINERS || claimTemplates(workload).length > MOST_CLAIM_TEMPLATES) return true
  let amounts = 0
  for (const container of all) {
    const { requests, limits } = objectOf(objectOf(container)['resources'])
    amounts += Object.keys(objectOf(requests)).length + Object.keys(objectOf(limits)).length
  }
  return amounts > MOST_AMOUNTS
}

/** Does a webhook that may change what workloads have made ask about it? */
const changesMade = (configurations: readonly MutatingWebhookConfiguration[]): boolean =>
  configurations.some(({ webhooks }) =>
    objectsOf(webhooks).some(({ rules }) =>
      objectsOf(rules).some(({ resources }) => listOf(resources).some((one) => MADE.has(one))),
    ),
  )
