import type { Caller } from '../../../machinery/caller.ts'
import type { Authorizer } from '../rule/authorizer.ts'

/** The verbs on a signer besides writing the objects that name it. */
export type SignerVerb = 'approve' | 'sign'

/** May the caller do it for the signer, by its name or by its domain (certificates `IsAuthorizedForSignerName`)? */
export function mayForSigner(authorizer: Authorizer, caller: Caller, verb: SignerVerb, signer: string): boolean {
  const signers = { type: 'resource', group: 'certificates.k8s.io', resource: 'signers', subresource: '' } as const
  return [signer, `${signer.split('/')[0] ?? ''}/*`].some(
    (name) => authorizer.decide(caller, { ...signers, verb, namespace: '', name }).allowed,
  )
}
