import type { KubeObject, ObjectMeta, OwnerReference } from '../../machinery/object.ts'
import { FOREGROUND, ORPHAN, policyOf, type PropagationPolicy } from './deletion-finalizers.ts'

/**
 * The state of the owner in a reference. `absent`: nothing has its coordinates and uid. `waiting`: it is being deleted
 * and waits for its dependents. `unknown`: its kind is not served or cannot own the object.
 */
export type OwnerState = 'present' | 'absent' | 'waiting' | 'unknown'

/** The decision of the garbage collector on an object. */
export type CollectionDecision =
  | { readonly type: 'keep' }
  /** Nothing may be done until it is known what the owners are. */
  | { readonly type: 'undecided' }
  /** The object loses its references to these uids. */
  | { readonly type: 'detach'; readonly uids: ReadonlySet<string> }
  | { readonly type: 'delete'; readonly policy: PropagationPolicy }

const KEEP: CollectionDecision = { type: 'keep' }

/** An owner that an object refers to, as it was found. */
export interface FoundOwner {
  readonly reference: OwnerReference
  readonly state: OwnerState
}

/** Decides on an object that is not being deleted (upstream `attemptToDeleteItem`). */
export function decideCollection(
  finalizers: readonly string[] | undefined,
  owners: readonly FoundOwner[],
  hasDependents: boolean,
): CollectionDecision {
  const states = owners.map(({ reference, state }) => ({ uid: reference.uid, state }))
  if (states.length === 0) return KEEP
  if (states.some(({ state }) => state === 'unknown')) return { type: 'undecided' }
  const lost = states.filter(({ state }) => state !== 'present')
  if (lost.length === 0) return KEEP
  if (lost.length < states.length) return { type: 'detach', uids: new Set(lost.map(({ uid }) => uid)) }
  // A whole tree goes from its leaves when its root waits.
  if (hasDependents && lost.some(({ state }) => state === 'waiting')) return { type: 'delete', policy: 'Foreground' }
  return { type: 'delete', policy: policyOf(finalizers) ?? 'Background' }
}

/** Returns the finalizer of the garbage collector that an object being deleted waits for. */
export function awaits({ deletionTimestamp, finalizers = [] }: ObjectMeta): 'orphans' | 'dependents' | undefined {
  if (deletionTimestamp === undefined) return undefined
  if (finalizers.includes(ORPHAN)) return 'orphans'
  return finalizers.includes(FOREGROUND) ? 'dependents' : undefined
}

/** The object without its references to these owners. */
export function withoutOwners(object: KubeObject, uids: ReadonlySet<string>): KubeObject {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

/** The object with references that keep no owner. */
export function unblocking(object: KubeObject): KubeObject {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((reference) =>
    reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
  )
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer)
  return { ...object, metadata: { ...object.metadata, finalizers } }
}
