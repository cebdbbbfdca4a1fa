import { CodedError, type ErrorHelp } from '../../machinery/coded-error.ts'

/**
 * The errors in a kubeconfig, each with its remedy.
 *
 * @public for the reference of errors
 */
export const KUBECONFIG_ERRORS = {
  'file-missing': {
    meaning: 'There is no kubeconfig at the path.',
    advice: 'give the path of a kubeconfig with --kubeconfig or in $KUBECONFIG',
  },
  'file-unreadable': {
    meaning: 'The kubeconfig, or a file that it names, cannot be read.',
    advice: 'check that the file is there and that this user may read it',
  },
  'not-yaml': {
    meaning: 'The kubeconfig is not YAML.',
    advice: 'mend the file; kubectl config view --kubeconfig FILE shows how kubectl reads it',
  },
  'field-invalid': {
    meaning: 'A field of the kubeconfig has a value that cannot be used.',
    advice: 'mend the field, or choose another context with --context',
  },
  'no-context': {
    meaning: 'The kubeconfig does not say which context to use, or has none of that name.',
    advice: 'choose one with --context, or set current-context with kubectl config use-context',
  },
  'no-cluster': {
    meaning: 'There is neither a kubeconfig nor a service account of a cluster.',
    advice: 'give a kubeconfig with --kubeconfig or in $KUBECONFIG, or run inside a cluster with a service account',
  },
  'auth-provider': {
    meaning: 'The user of the kubeconfig has an auth-provider plugin.',
    advice: 'use an exec plugin instead (kubectl lost auth-provider plugins in 1.26)',
  },
  'certificate-unusable': {
    meaning: 'A certificate or a key of the kubeconfig cannot be used.',
    advice: 'check that the files are PEM and that the key belongs to the certificate',
  },
  'proxy-unusable': {
    meaning: 'The proxy of the kubeconfig cannot be used.',
    advice: 'use an http:// or https:// proxy',
  },
} as const satisfies Readonly<Record<string, ErrorHelp>>

export type KubeconfigErrorCode = keyof typeof KUBECONFIG_ERRORS

/**
 * The kubeconfig cannot be used. The message names the file, line, column and field, never a value that may be secret.
 */
export class KubeconfigError extends CodedError<KubeconfigErrorCode> {
  constructor(code: KubeconfigErrorCode, message: string, options?: ErrorOptions) {
    super(KUBECONFIG_ERRORS, code, message, options)
  }
}
