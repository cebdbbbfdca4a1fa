import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'

/** The policy for the dependents of a deleted object. */
export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground'

/** Keeps a deleted object until its dependents have lost their references to it. */
export const ORPHAN = OWN_FINALIZERS.orphan
/** Keeps a deleted object until the dependents that block its deletion are gone. */
export const FOREGROUND = OWN_FINALIZERS.foreground

/** The default policy of a kind for dependents: delete them, unless it is in `POLICY_OF_KIND`. */
export type KindPolicy = 'delete' | 'orphan' | 'unsupported'

/** Kinds by bucket, in the versions that are served today (upstream `DefaultGarbageCollectionPolicy`). */
const POLICY_OF_KIND: Readonly<Record<string, KindPolicy>> = {
  events: 'unsupported',
  'jobs.batch': 'orphan',
  replicationcontrollers: 'orphan',
}

export const kindPolicyOf = (bucket: string): KindPolicy =>
  (Object.hasOwn(POLICY_OF_KIND, bucket) ? POLICY_OF_KIND[bucket] : undefined) ?? 'delete'

/**
 * The finalizers of an object once its deletion is asked for. The requested policy decides; else a finalizer that the object
 * has already; else the kind (upstream `deletionFinalizersForGarbageCollection`). Gives `present` itself when nothing changes.
 */
export function deletionFinalizers(
  present: readonly string[],
  asked: PropagationPolicy | undefined,
  kind: KindPolicy,
): readonly string[] {
  const policy = kind === 'unsupported' ? 'Background' : (asked ?? policyOf(present) ?? policyOfKind(kind))
  const wanted = policy === 'Orphan' ? ORPHAN : policy === 'Foreground' ? FOREGROUND : undefined
  const others = present.filter((one) => one !== ORPHAN && one !== FOREGROUND)
  const result = wanted === undefined ? others : [...others, wanted]
  const known = new Set(present)
  return result.length === present.length && result.every((one) => known.has(one)) ? present : result
}

/** The policy that an object asks for by a finalizer of its own; undefined when it has none of them. */
export function policyOf(finalizers: readonly string[] | undefined): PropagationPolicy | undefined {
  const found = finalizers?.find((one) => one === ORPHAN || one === FOREGROUND)
  return found === undefined ? undefined : found === ORPHAN ? 'Orphan' : 'Foreground'
}

const policyOfKind = (kind: KindPolicy): PropagationPolicy => (kind === 'orphan' ? 'Orphan' : 'Background')
