import type { KubeObject, OwnerReference } from '../../machinery/object.ts'

const ANNOTATION = 'resource.kubernetes.io/extended-resource-claim'

/**
 * Returns the pod for which the scheduler made a claim, because the pod asks for extended resources that devices serve.
 * Returns undefined for claims that people write.
 */
export function extendedClaimOwner({ metadata }: KubeObject): OwnerReference | undefined {
  if (metadata.annotations?.[ANNOTATION] !== 'true') return undefined
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => apiVersion === 'v1' && kind === 'Pod' && controller === true,
  )
}

/** Is no other of these claims made for the same pod? */
export function isOnlyClaimOf(owner: OwnerReference, claim: KubeObject, claims: Iterable<KubeObject>): boolean {
  for (const other of claims) {
    if (other.metadata.name !== claim.metadata.name && extendedClaimOwner(other)?.uid === owner.uid) return false
  }
  return true
}
