import type { ResourceQuota } from '../../builtin/core-v1.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import type { KnownKind } from '../../insight/simulate/admission.ts'
import { readCustomQuota } from '../../insight/simulate/custom-quota-tally.ts'
import { readClaim, readPool } from '../../insight/simulate/pool-rules.ts'
import type { KindOf } from '../../insight/simulate/simulate.ts'
import type { NotSeen } from '../../insight/simulate/undecided.ts'
import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type Named, objectOf, specOf } from '../../machinery/read.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import type { QuotaDefinitions } from '../../systems/quota-increase/decide/definitions.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { definedKinds } from './known-kinds.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'

/** What was read of a cluster, as its caller may see it. */
export interface ReadState {
  readonly state: readonly KubeObject[]
  readonly kinds: KindOf
  readonly notSeen: readonly NotSeen[]
}

export interface ReadStateOptions {
  readonly client: KubeClient
  readonly kinds: ServedKinds
  readonly changes: readonly KubeObject[]
  /** The namespace of manifests that name none. */
  readonly namespace: string
  /** The definitions of base quotas, where they are not those of a QuotaServiceConfig. */
  readonly definitions?: QuotaDefinitions | undefined
  readonly signal: AbortSignal
}

/** What decisions read in all of the cluster, in whatever namespace changes are. */
const CLUSTER_WIDE = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
  { apiVersion: 'v1', kind: 'Node' },
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass' },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
  resourcePool,
  resourcePoolClaim,
  quotaServiceConfig,
  quotaIncrease,
  customQuota,
  globalCustomQuota,
  karmadaQuota,
]
/** Quotas that count objects of other kinds. */
export const COUNTING: ReadonlySet<string> = new Set(
  [customQuota, globalCustomQuota, karmadaQuota].map(({ kind }) => kind),
)
/** A change of these reaches namespaces that no manifest is in. */
const REACHING: ReadonlySet<string> = new Set(
  [{ group: '', resource: 'namespaces' }, resourcePool, quotaServiceConfig].map(qualified),
)
/** What pools and definitions of base quotas keep in namespaces. */
const KEPT: ReadonlySet<string> = new Set(['resourcequotas', 'limitranges'])
const IN_NAMESPACES: readonly GroupResource[] = [
  { group: '', resource: 'resourcequotas' },
  { group: '', resource: 'limitranges' },
  { group: '', resource: 'pods' },
  { group: '', resource: 'persistentvolumeclaims' },
  { group: '', resource: 'serviceaccounts' },
  ...[...WORKLOAD_KINDS.values()].map(({ group, resource }) => ({ group, resource })),
]

/**
 * Reads what changes may touch: their namespaces, or all of them where a change is to something that is in none. `notSeen` names the resources that the caller may not read.
 * Rejects as `KubeClient` does.
 */
export async function readState(options: ReadStateOptions): Promise<ReadState> {
  const { client, kinds, changes, namespace, signal } = options
  const known = new Map<string, KnownKind>()
  const served = new Map<string, ResourceKind>()
  const note = (kind: ResourceKind | undefined): void => {
    if (kind === undefined) return
    known.set(`${apiVersionOf(kind)} ${kind.kind}`, kind)
    if (!served.has(qualified(kind))) served.set(qualified(kind), kind)
  }
  const named = [...CLUSTER_WIDE, ...changes]
  const unique = new Map(named.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]))
  const found = await Promise.all(
    [...unique.values()].map(({ apiVersion, kind }) => kinds.ofManifest(apiVersion, kind)),
  )
  for (const kind of found) note(kind)
  for (const { group, resource } of IN_NAMESPACES) note(kinds.of(group, resource))
  note(kinds.of('autoscaling', 'horizontalpodautoscalers', 'v1'))

  const kindOfChange = ({ apiVersion, kind }: KubeObject): KnownKind | undefined => known.get(`${apiVersion} ${kind}`)
  const namespaces = new Set(
    changes.flatMap((change) => {
      const kind = kindOfChange(change)
      return kind?.namespaced === true ? [change.metadata.namespace ?? namespace] : []
    }),
  )
  const isWide = changes.some((change) => {
    const kind = kindOfChange(change)
    return kind !== undefined && REACHING.has(qualified(kind))
  })
  const visible = new VisibleObjects(client, kinds, signal)
  /** What the caller may read in the namespaces of changes, and not in others. */
  const elsewhere = new Set<string>()
  // A new quota counts existing objects. The status of a counted quota says its usage.
  const counted = changes.filter(({ kind }) => COUNTING.has(kind))
  const sources = await Promise.all(
    counted.flatMap(sourceKindsOf).map(({ apiVersion, kind }) => kinds.ofManifest(apiVersion, kind)),
  )
  const isGlobal = counted.some(({ kind }) => kind === globalCustomQuota.kind)
  const countedKinds = new Set(sources.flatMap((kind) => (kind === undefined ? [] : [qualified(kind)])))
  for (const kind of sources) note(kind)
  const everywhere = new Set(CLUSTER_WIDE.map(({ apiVersion, kind }) => known.get(`${apiVersion} ${kind}`)))
  const isKeeping = served.has(qualified(resourcePool)) || served.has(qualified(quotaServiceConfig))
  /** In all namespaces where that matters and is allowed, and, unless that is whole, in those of the changes. */
  const read = async (kind: ResourceKind): Promise<readonly KubeObject[]> => {
    const isEverywhere =
      !kind.namespaced ||
      isWide ||
      (isGlobal && countedKinds.has(qualified(kind))) ||
      (isKeeping && KEPT.has(qualified(kind))) ||
      everywhere.has(known.get(`${apiVersionOf(kind)} ${kind.kind}`))
    const all = isEverywhere ? ((await visible.listKind(kind)) ?? []) : []
    const isWhole = isEverywhere && !visible.notSeen.some(({ resource }) => resource === qualified(kind))
    if (isWhole || !kind.namespaced || namespaces.size === 0) return all
    const lists = await Promise.all([...namespaces].map((one) => visible.listKind(kind, { namespace: one })))
    if (isEverywhere && lists.every((one) => one !== undefined)) elsewhere.add(qualified(kind))
    const beyond = all.filter(({ metadata }) => !namespaces.has(metadata.namespace ?? ''))
    return [...beyond, ...lists.flatMap((one) => one ?? [])]
  }
  const first = (await Promise.all([...served.values()].map(read))).flat()
  const names = [...[...first, ...changes].flatMap(limitNames), ...namesOf(limitsIn(options.definitions?.quotas ?? []))]
  const more = new Map(
    QUOTA_EVALUATORS.countingTowards([...new Set(names)])
      .filter((of) => !served.has(qualified(of)))
      .map((of) => [qualified(of), of]),
  )
  const others = await Promise.all([...more.values()].map(({ group, resource }) => kinds.anyOf(group, resource)))
  const second = (await Promise.all(others.filter((kind) => kind !== undefined).map(read))).flat()
  for (const kind of others) note(kind)
  for (const [name, kind] of definedKinds(changes)) if (!known.has(name)) known.set(name, kind)
  return {
    state: [...first, ...second],
    kinds: (apiVersion, kind) => known.get(`${apiVersion} ${kind}`),
    notSeen: [...Map.groupBy(visible.notSeen, ({ resource }) => resource)].flatMap(([resource, all]) => {
      // A second reason is that of a list of one namespace, which was too large.
      const isElsewhere = elsewhere.has(resource) && all.length === 1
      return all.slice(-1).map((one): NotSeen => (isElsewhere ? { ...one, isElsewhere } : one))
    }),
  }
}

/** The amounts by resource name that an object of each kind limits, claims or adds. */
const LIMITS: Readonly<Record<string, (object: KubeObject) => readonly (Named<unknown> | undefined)[]>> = {
  ResourceQuota: (object: ResourceQuota) => [objectOf(specOf(object).hard)],
  [resourcePool.kind]: (object) => [readPool(object).spec.quota.hard, readPool(object).spec.defaults],
  [resourcePoolClaim.kind]: (object) => [readClaim(object).spec.claim],
  [quotaIncrease.kind]: (object) => [quotaIncrease.read(object).spec.hard],
  [quotaServiceConfig.kind]: (object) => limitsIn(quotaServiceConfig.read(object).spec.quotas),
}

const limitNames = (object: KubeObject): readonly string[] => namesOf(LIMITS[object.kind]?.(object) ?? [])

const limitsIn = (definitions: QuotaDefinitions['quotas']): readonly (Named<unknown> | undefined)[] =>
  definitions.map(({ template }) => template.spec.hard)

const namesOf = (limits: readonly (Named<unknown> | undefined)[]): readonly string[] =>
  limits.flatMap((amounts = {}) => Object.keys(amounts))

/** Returns the kinds that a quota counts, with the API versions that it names. */
export const sourceKindsOf = (quota: KubeObject): readonly Pick<KubeObject, 'apiVersion' | 'kind'>[] =>
  quota.kind === karmadaQuota.kind
    ? [{ apiVersion: apiVersionOf(RESOURCE_BINDINGS), kind: RESOURCE_BINDINGS.kind }]
    : readCustomQuota(quota)
        .spec.sources.map(sourceKind)
        .map(({ group, version, kind }) => ({ apiVersion: apiVersionOf({ group, version }), kind }))
