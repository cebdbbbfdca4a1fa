import {
  any,
  type ChartCondition,
  from,
  hole,
  isEqual,
  joined,
  NAMESPACE,
  type ObjectTemplate,
} from '../template/template.ts'
import { INSTALLED_NAME } from '../installed-names.ts'
import { metadata } from '../template/common-metadata.ts'

const BY_CERT_MANAGER = isEqual('certificate.source', 'cert-manager')

/** Does the certificate of the webhooks come from files of a Secret? */
export const HAS_CERTIFICATE_FILES: ChartCondition = any(isEqual('certificate.source', 'secret'), BY_CERT_MANAGER)

/** Has cert-manager make the Secret. */
export const CERTIFICATE: ObjectTemplate = {
  file: 'certificate',
  condition: BY_CERT_MANAGER,
  object: {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: metadata(),
    spec: {
      secretName: from('certificate.secretName'),
      dnsNames: [hole(joined(`${INSTALLED_NAME}.`, NAMESPACE, '.svc'))],
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      issuerRef: from('certificate.issuerRef'),
    },
  },
}
