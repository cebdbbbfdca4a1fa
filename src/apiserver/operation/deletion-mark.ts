import type { Namespace, Pod } from '../../builtin/core-v1.ts'
import { lastingMs } from '../../machinery/go-seconds.ts'
import { type Int64, int64, successor, wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'
import { type PropagationPolicy, deletionFinalizers, kindPolicyOf } from './deletion-finalizers.ts'
import { ordered, withMetadata } from '../resource/metadata.ts'

/** The object after a deletion: the very same one when it is being deleted already and nothing changes. */
export interface Mark {
  /** As it stays, or as it was at last. */
  readonly object: KubeObject
  /** Does nothing keep it: no finalizer, no time, no contents? */
  readonly gone: boolean
}

interface Asked {
  readonly gracePeriodSeconds?: Int64
  readonly propagationPolicy?: PropagationPolicy
}

/** Decides how the deletion of an object of `bucket` begins, or goes on. `now`: milliseconds since the epoch. Pure. */
export function markDeleted(old: KubeObject, bucket: string, asked: Asked, now: number): Mark {
  if (bucket === 'namespaces' && !isEmptied(old)) return { object: markNamespace(old, asked, now), gone: false }
  if (bucket === CRDS && old.metadata.deletionTimestamp === undefined) return { object: markCrd(old, now), gone: false }
  const graceful = withGrace(old, bucket, asked, now)
  if (graceful === 'pending') return { object: old, gone: false }
  const present = old.metadata.finalizers ?? []
  const finalizers = deletionFinalizers(present, asked.propagationPolicy, kindPolicyOf(bucket))
  const grace = graceful?.deletionGracePeriodSeconds ?? 0
  const gone = finalizers.length === 0 && grace === 0
  if (gone && graceful === undefined) return { object: old, gone }
  const metadata = graceful ?? markedNow(old.metadata, now)
  if (metadata === old.metadata && finalizers === present) return { object: old, gone }
  return { object: withMetadata(old, ordered({ ...metadata, finalizers })), gone }
}

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'
/** Keeps a deleted CRD until its objects are gone. */
export const CLEANUP = OWN_FINALIZERS.crd

/** Marks a CRD as terminating once, without a change of its spec; its objects decide when it goes. */
function markCrd(old: KubeObject, now: number): KubeObject {
  const { finalizers: present = [] } = old.metadata
  const finalizers = present.includes(CLEANUP) ? present : [...present, CLEANUP]
  const time = timestamp(now)
  const ending = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: time,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  const status = statusOf<Namespace>(old)
  return {
    ...withMetadata(old, ordered({ ...old.metadata, deletionTimestamp: time, finalizers })),
    status: { ...status, conditions: [...objectsOf(status['conditions']), ending] },
  }
}

/**
 * Returns the metadata of an object with a grace period. Returns undefined if the kind has none or it has passed.
 * Returns `pending` if it already runs and no shorter one is requested (upstream `rest.BeforeDelete`).
 */
function withGrace(
  old: KubeObject,
  bucket: string,
  { gracePeriodSeconds }: Asked,
  now: number,
): ObjectMeta | 'pending' | undefined {
  const graceOf = gracePeriods[bucket]
  if (graceOf === undefined) return undefined
  // Upstream takes a negative period for the shortest that is not at once.
  const period = wholeNumber(gracePeriodSeconds)
  const asked = period !== undefined && period < 0n ? 1n : period
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata
  if (deletionTimestamp === undefined) {
    const grace = int64(graceOf(old, asked))
    return { ...begun(old.metadata, now + lastingMs(grace)), deletionGracePeriodSeconds: grace }
  }
  const running = wholeNumber(deletionGracePeriodSeconds) ?? 0n
  if (running === 0n) return undefined
  if (asked === undefined || asked >= running) return 'pending'
  const sooner = Date.parse(deletionTimestamp) + lastingMs(int64(asked - running))
  return { ...old.metadata, deletionTimestamp: timestamp(sooner), deletionGracePeriodSeconds: int64(asked) }
}

/** The first mark of a deletion counts as a change of what is wanted. */
function begun(metadata: ObjectMeta, end: number): ObjectMeta {
  const { generation } = metadata
  return {
    ...metadata,
    ...(generation === undefined ? {} : { generation: successor(generation) }),
    deletionTimestamp: timestamp(end),
  }
}

function markedNow(metadata: ObjectMeta, now: number): ObjectMeta {
  if (metadata.deletionTimestamp === undefined) return { ...begun(metadata, now), deletionGracePeriodSeconds: 0 }
  // CRDs are first marked without.
  return metadata.deletionGracePeriodSeconds === undefined ? { ...metadata, deletionGracePeriodSeconds: 0 } : metadata
}

/** Is it a namespace being deleted from which its controller has taken the finalizer? */
const isEmptied = (namespace: Namespace): boolean =>
  namespace.metadata.deletionTimestamp !== undefined && textsOf(specOf(namespace)['finalizers']).length === 0

/** Marks a namespace as terminating once; its contents decide when it goes. */
function markNamespace(old: KubeObject, { propagationPolicy }: Asked, now: number): KubeObject {
  if (old.metadata.deletionTimestamp !== undefined) return old
  const finalizers = deletionFinalizers(old.metadata.finalizers ?? [], propagationPolicy, 'delete')
  const metadata = ordered({ ...old.metadata, deletionTimestamp: timestamp(now), finalizers })
  return { ...withMetadata(old, metadata), status: { ...statusOf<Namespace>(old), phase: 'Terminating' } }
}

const DEFAULT_POD_GRACE_SECONDS = 30n

/** How many seconds an object of a bucket stays after its deletion was asked for; kinds without an entry go at once. */
const gracePeriods: Readonly<Record<string, (object: KubeObject, asked: bigint | undefined) => bigint>> = {
  pods: podGrace,
}

/** A pod that runs nowhere, or has ended, needs no time (upstream pod strategy `CheckGracefulDelete`). */
function podGrace(pod: Pod, asked: bigint | undefined): bigint {
  const spec = specOf(pod)
  const { phase } = statusOf(pod)
  if (textOf(spec.nodeName) === '') return 0n
  if (phase === 'Failed' || phase === 'Succeeded') return 0n
  if (asked !== undefined) return asked
  return wholeNumber(spec.terminationGracePeriodSeconds) ?? DEFAULT_POD_GRACE_SECONDS
}
