import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../builtin/certificates-v1.ts'
import {
  append,
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../machinery/field-error.ts'
import { goQuote } from '../../machinery/go/quote.ts'
import { isDNS1123Label, isDNS1123Subdomain, utf8Length } from '../../machinery/names.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { Caller } from '../../machinery/caller.ts'
import { absent, numberOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { set, setOrDrop, without } from '../rule/change.ts'
import { needed } from '../rule/value.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import type { Context, Strategy } from '../strategy/strategy.ts'
import { validateCertificateStatus, withDecisionsOf, withTimes } from './conditions.ts'
import type { CertificateChecks } from './checks.ts'

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
/** Ten minutes, in seconds. */
const SHORTEST_LIFE = 600

const base = lifecycle({ status: {} })

/** A request records its sender, whatever the request says. Approvers rely on it (certificates `PrepareForCreate`). */
function ofCaller(spec: CertificateSigningRequestSpec, caller: Caller | undefined): JsonObject {
  const rest = without(spec, 'username', 'uid', 'groups', 'extra')
  if (caller === undefined) return rest
  const { name, uid, groups, extra } = caller
  return {
    ...rest,
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  }
}

/** The errors in a new request (certificates `validateCertificateSigningRequest`). */
function validate(
  object: CertificateSigningRequest,
  requestProblem: CertificateChecks['requestProblem'],
): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const problem = requestProblem(Buffer.from(textOf(spec.request), 'base64').toString('latin1'))
  if (problem !== undefined) errors.push(invalid('spec.request', textOf(spec.request), problem))
  const usages = textsOf(spec.usages)
  if (usages.length === 0) errors.push(required('spec.usages'))
  usages.forEach((usage, index) => {
    if (!USAGES.includes(usage)) errors.push(notSupported(`spec.usages[${index}]`, usage, USAGES))
  })
  const seen = new Set<string>()
  usages.forEach((usage, index) => {
    if (seen.has(usage)) errors.push(duplicate(`spec.usages[${index}]`, usage))
    seen.add(usage)
  })
  append(errors, validateSigner(textOf(spec.signerName)))
  const seconds = numberOf(spec.expirationSeconds)
  if (seconds !== undefined && seconds < SHORTEST_LIFE)
    errors.push(
      invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)'),
    )
  return errors
}

/** The longest name of a domain, and what may follow the domain of a signer. */
const LONGEST_DOMAIN = 253
const LONGEST_NAME = LONGEST_DOMAIN + 1 + LONGEST_DOMAIN + 1 + 63

/** Signers have names such as `example.com/serving` (core `ValidateSignerName`). */
function validateSigner(name: string): readonly FieldError[] {
  const path = 'spec.signerName'
  if (name === '') return needed(name, path)
  if (name === 'kubernetes.io/legacy-unknown')
    return [invalid(path, name, 'the legacy signerName is not allowed via this API version')]
  const [domain = '', signer = '', ...rest] = name.split('/')
  if (rest.length > 0 || !name.includes('/'))
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  const labels = domain.split('.')
  const each = (whole: string, parts: readonly string[], rule: (part: string) => readonly string[]) =>
    parts.flatMap((part) =>
      rule(part).map((problem) => invalid(path, whole, `validating label ${goQuote(part)}: ${problem}`)),
    )
  return [
    ...(utf8Length(domain) > LONGEST_DOMAIN ? [tooLong(path, LONGEST_DOMAIN)] : []),
    ...each(domain, labels, isDNS1123Label),
    ...(labels.length < 2
      ? [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...each(signer, signer.split('.'), isDNS1123Subdomain),
    ...(utf8Length(name) > LONGEST_NAME ? [tooLong(path, LONGEST_NAME)] : []),
  ]
}

/** `/approval` changes only the conditions, and sets the time of their update (certificates `csrApprovalStrategy`). */
export function approved(
  sent: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { now }: Context,
): KubeObject {
  const { conditions } = withTimes(statusOf(sent), old, now)
  return { ...old, metadata: sent.metadata, status: setOrDrop(statusOf(old), 'conditions', conditions) }
}

/**
 * Requests for certificates: the requester is recorded, and the request does not change. `/status` takes the certificate and leaves
 * what was decided, which `/approval` alone changes.
 */
export const certificateSigningRequest = ({ requestProblem, issuedProblem }: CertificateChecks): Strategy => ({
  ...base,
  shortNames: ['csr'],
  resets: {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  prepareForCreate: (object: CertificateSigningRequest, context) =>
    base.prepareForCreate(set(object, 'spec', ofCaller(specOf(object), context.caller)), context),
  prepareForUpdate: (object: CertificateSigningRequest, old: CertificateSigningRequest, context) =>
    set(base.prepareForUpdate(object, old, context), 'spec', specOf(old)),
  prepareForStatusUpdate: (object: CertificateSigningRequest, old: CertificateSigningRequest, context) => {
    const updated = base.prepareForStatusUpdate(object, old, context)
    const status = withTimes(withDecisionsOf(statusOf<CertificateSigningRequest>(updated), old), old, context.now)
    return absent(updated.status) ? updated : set(updated, 'status', status)
  },
  validate: (object: CertificateSigningRequest) => validate(object, requestProblem),
  // Neither the spec nor the status can change here.
  validateUpdate: () => [],
  validateStatusUpdate: (object: CertificateSigningRequest, old: CertificateSigningRequest) =>
    validateCertificateStatus(object, old, { mayDecide: false, issuedProblem }),
  validateSubresource: {
    approval: (object: CertificateSigningRequest, old: CertificateSigningRequest) =>
      validateCertificateStatus(object, old, { mayDecide: true, issuedProblem }),
  },
})
