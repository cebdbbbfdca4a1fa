import { AdvisingError } from '../../machinery/advising-error.ts'

/** The errors in a kubeconfig, each with its remedy. */
const ADVICE = {
  'file-missing': 'give the path of a kubeconfig with --kubeconfig or in $KUBECONFIG',
  'file-unreadable': 'check that the file is there and that this user may read it',
  'not-yaml': 'mend the file; kubectl config view --kubeconfig FILE shows how kubectl reads it',
  'field-invalid': 'mend the field, or choose another context with --context',
  'no-context': 'choose one with --context, or set current-context with kubectl config use-context',
  'no-cluster': 'give a kubeconfig with --kubeconfig or in $KUBECONFIG, or run inside a cluster with a service account',
  'auth-provider': 'use an exec plugin instead (kubectl lost auth-provider plugins in 1.26)',
  'certificate-unusable': 'check that the files are PEM and that the key belongs to the certificate',
  'proxy-unusable': 'use an http:// or https:// proxy',
} as const

export type KubeconfigErrorCode = keyof typeof ADVICE

/**
 * The kubeconfig cannot be used. The message names the file, line, column and field, never a value that may be secret.
 */
export class KubeconfigError extends AdvisingError {
  readonly code: KubeconfigErrorCode
  constructor(code: KubeconfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, ADVICE[code], options)
    this.code = code
  }
}
