import type { KubeObject } from '../../machinery/object.ts'
import { certificatesIn } from '../../runtime/certificate/certificate-check.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import type { ObjectName, ResourceKind } from '../client/kube-client.ts'
import type { SharedCertificates } from './webhook-certificate-plan.ts'

export interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

export const SECRETS: ResourceKind = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true }

const OWNER_LABEL = 'app.kubernetes.io/managed-by'
const OWNER = 'allot'

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
export function newSecret({ namespace, name }: ObjectName, shared: SharedCertificates): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, labels: { [OWNER_LABEL]: OWNER } },
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
