import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import type { ObjectId } from './explanation.ts'

/** What was read of one namespace, as the caller may see it. */
export interface Facts {
  readonly namespace: string
  readonly quotas: readonly ResourceQuota[]
  /** Those of the namespace, and the global ones that the caller may see. */
  readonly customQuotas: readonly (CustomQuota | GlobalCustomQuota)[]
  readonly karmadaQuotas: readonly KarmadaQuota[]
  /** The labels of the namespace; undefined where the caller may not read it. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined
  /** Does the API server say that there is no such namespace? Left out where the caller may not ask. */
  readonly isNamespaceMissing?: boolean
  readonly limitRanges: readonly KubeObject[]
  /** Pods, claims of volumes, workloads and what makes them, by resource, such as `replicasets.apps`. */
  readonly objects: ReadonlyMap<string, readonly KubeObject[]>
  /** The same objects by their uid. */
  readonly byUid: ReadonlyMap<string, KubeObject>
  /** The same objects by the uid of the object that made them. */
  readonly byMaker: ReadonlyMap<string, readonly KubeObject[]>
  /** The beginning of commands that lead to this cluster and namespace, such as `kubectl -n shop`. */
  readonly kubectl: string
  readonly autoscalers: readonly KubeObject[]
  /** The classes of the cluster, and the ServiceAccounts, by resource, such as `storageclasses.storage.k8s.io`. Those that could not be read are missing. */
  readonly classes: ReadonlyMap<string, readonly KubeObject[]>
  /** The limits that come from manifests that nobody has applied, such as `ResourceQuota/small`; left out: none. */
  readonly planned?: ReadonlySet<string>
  /** The owners at the top of what custom quotas list in other namespaces, by uid, as far as they were read; left out: none. */
  readonly owners?: ReadonlyMap<string, ObjectId>
  /** What objects take that custom quotas list and the caller may not, by quota, such as `GlobalCustomQuota/north`; left out: nothing. */
  readonly unseenUse?: ReadonlyMap<string, Quantity>
  /** Events about objects that could not be made (`FailedCreate`). */
  readonly failures: readonly KubeObject[]
  /** Resources that could not be read, with the reason. */
  readonly notSeen: readonly { readonly resource: string; readonly reason: string }[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The object that is asked about. */
export interface Target {
  readonly object: KubeObject
  /** Is it on the API server, or a manifest that nobody has applied? */
  readonly isStored: boolean
  /** The stored object, where `object` is what a manifest makes of it. */
  readonly before?: KubeObject
}

export const servedObjects = ({ objects }: Facts, group: string, resource: string): readonly KubeObject[] =>
  objects.get(qualified({ group, resource })) ?? []

export const idOf = ({ apiVersion, kind, metadata }: KubeObject, namespace = metadata.namespace ?? ''): ObjectId => ({
  apiVersion,
  kind,
  namespace,
  name: metadata.name ?? metadata.generateName ?? '',
})

/** The objects of a kind that an object has made. */
export const madeBy = ({ metadata: { uid } }: KubeObject, kind: string, { byMaker }: Facts): readonly KubeObject[] =>
  (uid === undefined ? [] : (byMaker.get(uid) ?? [])).filter((one) => one.kind === kind)

/** Real chains have at most five objects, such as a CronJob, a Job, a pod and its claim. A tenant can write longer ones, and many objects are asked for theirs. */
const LONGEST_CHAIN = 10

/**
 * The owners of an object as far as they were read, the topmost first, and the object itself: at most ten objects, each once. A tenant can write
 * owners that own each other, and the object may be another copy of the one that was read.
 */
export function chainOf(object: KubeObject, { byUid }: Pick<Facts, 'byUid'>): readonly KubeObject[] {
  const upwards = [object]
  while (upwards.length < LONGEST_CHAIN) {
    const owner = byUid.get(controllerOf(upwards.at(-1) ?? object)?.uid ?? '')
    if (owner === undefined || isAmong(upwards, owner.metadata.uid)) break
    upwards.push(owner)
  }
  return upwards.toReversed()
}

/** Does a chain, the topmost object first, have no top because its owners own each other? */
export const isCircle = (chain: readonly KubeObject[]): boolean =>
  chain[0] !== undefined && isAmong(chain, controllerOf(chain[0])?.uid)

const isAmong = (objects: readonly KubeObject[], uid: string | undefined): boolean =>
  uid !== undefined && objects.some(({ metadata }) => metadata.uid === uid)

/** Indexes objects by their uid, and by that of their maker. */
export function indexed(objects: Facts['objects']): Pick<Facts, 'byUid' | 'byMaker'> {
  const all = [...objects.values()].flat()
  return {
    byUid: new Map(all.flatMap((one) => (one.metadata.uid === undefined ? [] : [[one.metadata.uid, one] as const]))),
    // What nobody has made is no object of one that has no uid yet.
    byMaker: Map.groupBy(
      all.filter((one) => controllerOf(one) !== undefined),
      (one) => controllerOf(one)?.uid ?? '',
    ),
  }
}
