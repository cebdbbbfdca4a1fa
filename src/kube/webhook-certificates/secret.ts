import { formatMark, newerFormat } from '../../api/kept-format.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { certificatesIn } from '../../runtime/certificate/check.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import type { ObjectName, ResourceKind } from '../client/kube-client.ts'
import type { SharedCertificates } from './plan.ts'

export interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

export const SECRETS: ResourceKind = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true }

/** The format of the Secrets that allot writes, whatever they hold. */
const SECRET_FORMAT = 1

const OWNER_LABEL = 'app.kubernetes.io/managed-by'
const OWNER = 'allot'

/** A Secret as it was read. Throws StartupError where a later version keeps something else in it. */
export function readableSecret(secret: Secret): Secret {
  const problem = newerFormat({ ...secret, kind: 'Secret' }, SECRET_FORMAT)
  if (problem !== undefined) throw new StartupError('newer-format', problem)
  return secret
}

/** The metadata of a Secret of allot that is made. */
export const secretMetadata = ({ namespace, name }: ObjectName): KubeObject['metadata'] => ({
  namespace,
  name,
  labels: { [OWNER_LABEL]: OWNER },
  annotations: formatMark(SECRET_FORMAT),
})

/** The certificates in a Secret, as far as they can be read. */
export function sharedIn(secret: Secret): SharedCertificates {
  return {
    server: { certificate: textIn(secret, 'tls.crt'), key: textIn(secret, 'tls.key') },
    authorities: certificatesIn(textIn(secret, 'ca.crt')),
    authorityKey: textIn(secret, 'ca.key'),
    retired: certificatesIn(textIn(secret, 'retired.crt')),
  }
}

/** A Secret of type `kubernetes.io/tls` that holds them. */
export function newSecret(place: ObjectName, shared: SharedCertificates): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: secretMetadata(place),
    type: 'kubernetes.io/tls',
    data: dataOf(shared),
  }
}

/** The Secret with them in place of what it held. Throws StartupError when that is a certificate that is not ours. */
export function replacedSecret(old: Secret, shared: SharedCertificates): Secret {
  const { namespace = '', name = '', labels = {} } = old.metadata
  if (labels[OWNER_LABEL] !== OWNER && textIn(old, 'tls.crt') !== '')
    throw new StartupError(
      'secret-foreign',
      `the Secret ${namespace}/${name} holds a certificate that allot did not make and cannot use`,
    )
  return {
    ...old,
    metadata: { ...old.metadata, labels: { ...labels, [OWNER_LABEL]: OWNER } },
    data: { ...old.data, ...dataOf(shared) },
  }
}

function dataOf({ server, authorities, authorityKey, retired }: SharedCertificates): Readonly<Record<string, string>> {
  const texts = {
    'tls.crt': server.certificate,
    'tls.key': server.key,
    'ca.crt': authorities.join(''),
    'ca.key': authorityKey,
    'retired.crt': retired.join(''),
  }
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
}

const textIn = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8')
