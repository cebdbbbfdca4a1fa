import type { ClusterTrustBundle } from '../../builtin/certificates-v1beta1.ts'
import type { CertificateSigningRequest } from '../../builtin/certificates-v1.ts'
import type { RoleBinding } from '../../builtin/rbac-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column, wide } from './column.ts'
import { humanDuration } from './duration.ts'
import { ageColumn, nameColumn, NONE } from './shared-columns.ts'

/** The moment of creation, as it stands in the object. */
export const createdColumns: readonly Column[] = [
  nameColumn,
  column('Created At', 'When the object was created.', (object) => object.metadata.creationTimestamp ?? '<unknown>'),
]

const subjects =
  (kind: string) =>
  (object: KubeObject): string =>
    objectsOf(object.subjects)
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === 'ServiceAccount' ? `${textOf(subject.namespace)}/${textOf(subject.name)}` : textOf(subject.name),
      )
      .join(', ')

export const roleBindingColumns: readonly Column[] = [
  nameColumn,
  column('Role', 'The role that it gives.', (object: RoleBinding) => {
    const role = objectOf(object.roleRef)
    return `${textOf(role.kind)}/${textOf(role.name)}`
  }),
  ageColumn,
  wide('Users', 'Users that have it.', subjects('User')),
  wide('Groups', 'Groups that have it.', subjects('Group')),
  wide('ServiceAccounts', 'Service accounts that have it.', subjects('ServiceAccount')),
]

function requestCondition(object: CertificateSigningRequest): string {
  const status = statusOf(object)
  const types = new Set(objectsOf(status.conditions).map((condition) => textOf(condition.type)))
  const words = [types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending']
  if (types.has('Failed')) words.push('Failed')
  if (textOf(status.certificate) !== '') words.push('Issued')
  return words.join(',')
}

export const signingRequestColumns: readonly Column[] = [
  nameColumn,
  ageColumn,
  column(
    'SignerName',
    'The signer that is asked.',
    (object: CertificateSigningRequest) => textOf(specOf(object).signerName) || NONE,
  ),
  column('Requestor', 'The user that sent the request.', (object: CertificateSigningRequest) =>
    textOf(specOf(object).username),
  ),
  column('RequestedDuration', 'For how long.', (object: CertificateSigningRequest) => {
    const seconds = numberOf(specOf(object).expirationSeconds)
    return seconds === undefined ? NONE : humanDuration(seconds * 1000)
  }),
  column('Condition', 'The state of the request.', requestCondition),
]

export const trustBundleColumns: readonly Column[] = [
  nameColumn,
  column(
    'SignerName',
    'The signer that the bundle belongs to.',
    (object: ClusterTrustBundle) => textOf(specOf(object).signerName) || NONE,
  ),
]
