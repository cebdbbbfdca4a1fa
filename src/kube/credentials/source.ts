import { CodedError, type ErrorHelp } from '../../machinery/coded-error.ts'

/** The credential of a request. */
export interface Credential {
  /** The `authorization` header; left out: none. */
  readonly authorization?: string
  /** Instead of the kubeconfig's. PEM texts. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string }
}

/** Gives the credential of the moment. */
export interface CredentialSource {
  /** Throws CredentialError when there is none to be had. */
  current(signal: AbortSignal): Promise<Credential>
  /** The server did not accept it (401): may `current` give another one from now on? */
  refused(credential: Credential): boolean
}

/**
 * The errors of credentials, each with its remedy.
 *
 * @public for the reference of errors
 */
export const CREDENTIAL_ERRORS = {
  'token-unreadable': {
    meaning: 'The file of the token cannot be read, or is empty.',
    advice: 'check tokenFile in the kubeconfig, or the projected service account token of the pod',
  },
  'plugin-missing': {
    meaning: 'The exec plugin of the kubeconfig cannot be run.',
    advice: 'install it, or check users[].user.exec.command in the kubeconfig',
  },
  'plugin-failed': {
    meaning: 'The exec plugin ended with an error.',
    advice: 'run the command by hand to see what it needs; perhaps you have to log in again',
  },
  'plugin-timeout': {
    meaning: 'The exec plugin did not end in time.',
    advice: 'run the command by hand to see what it waits for',
  },
  'plugin-answer': {
    meaning: 'The exec plugin printed something else than a credential.',
    advice: 'check its version and users[].user.exec in the kubeconfig; it must print an ExecCredential',
  },
  'plugin-interactive': {
    meaning: 'The exec plugin wants to ask somebody, and nobody is there.',
    advice: 'use a kubeconfig with credentials that need no answers, such as a service account token',
  },
} as const satisfies Readonly<Record<string, ErrorHelp>>

export type CredentialErrorCode = keyof typeof CREDENTIAL_ERRORS

/** No credential could be had. The message names no secret. */
export class CredentialError extends CodedError<CredentialErrorCode> {
  /** `advice`: instead of the usual one of the code. */
  constructor(code: CredentialErrorCode, message: string, options?: ErrorOptions & { readonly advice?: string }) {
    super(CREDENTIAL_ERRORS, code, message, options)
  }
}

/** A credential that never changes. */
export function fixedCredential(credential: Credential): CredentialSource {
  return { current: async () => credential, refused: () => false }
}

/** HTTP headers carry octets: texts go as UTF-8, as client-go sends them. */
export const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
