import type { CertificateSigningRequest } from '../../builtin/certificates-v1.ts'
import { organizationsOf } from '../resource/certificate/subject.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { forbidden } from '../../machinery/status.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { Review } from '../storing/review.ts'
import { certificateRequestIn } from '../resource/certificate/request.ts'
import { MASTERS } from '../../machinery/caller.ts'
import { specOf, statusOf, textOf } from '../../machinery/read.ts'
import type { Authorizer } from '../auth/rule/authorizer.ts'
import { mayForSigner, type SignerVerb } from '../auth/guard/signer-access.ts'

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io'
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

/**
 * Upstream's CertificateApproval, CertificateSigning and CertificateSubjectRestriction: the user that decides on a request for a
 * certificate must hold `approve` or `sign` on its signer, and nobody asks for a certificate of the administrators' group.
 */
export function certificateGuard(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateGuard',
    validate: (review) => {
      if (review.resource.bucket !== REQUESTS) return
      const { operation, subresource } = review
      if (operation === 'CREATE' && subresource === '') restrictSubject(review)
      if (operation !== 'UPDATE') return
      if (subresource === 'approval') demand(authorizer, review, 'approve')
      if (subresource === 'status' && isDecided(review)) demand(authorizer, review, 'sign')
    },
  }
}

function restrictSubject({ resource, name, object = EMPTY }: Review): void {
  const spec = specOf<CertificateSigningRequest>(object)
  if (spec['signerName'] !== CLIENT_SIGNER) return
  const request = certificateRequestIn(Buffer.from(textOf(spec['request']), 'base64').toString('latin1'))
  if (request !== undefined && organizationsOf(request).includes(MASTERS))
    throw forbidden(
      resource.id,
      name || (object.metadata.name ?? ''),
      `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`,
    )
}

const EMPTY = { apiVersion: '', kind: '', metadata: {} }

/** Does a write of the status change the certificate or the conditions? */
function isDecided({ object = EMPTY, oldObject = EMPTY }: Review): boolean {
  const [now, before] = [statusOf<CertificateSigningRequest>(object), statusOf<CertificateSigningRequest>(oldObject)]
  return (['certificate', 'conditions'] as const).some((field) => !jsonEqual(now[field] ?? null, before[field] ?? null))
}

function demand(authorizer: Authorizer, { caller, resource, name, oldObject = EMPTY }: Review, verb: SignerVerb): void {
  const signer = textOf(specOf<CertificateSigningRequest>(oldObject)['signerName'])
  if (mayForSigner(authorizer, caller, verb, signer)) return
  throw forbidden(resource.id, name, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`)
}
