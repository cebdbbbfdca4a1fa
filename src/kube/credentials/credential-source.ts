import { AdvisingError } from '../../machinery/advising-error.ts'

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

export type CredentialErrorCode =
  | 'token-unreadable'
  | 'plugin-missing'
  | 'plugin-failed'
  | 'plugin-timeout'
  | 'plugin-answer'
  | 'plugin-interactive'

/** No credential could be had. The message names no secret. */
export class CredentialError extends AdvisingError {
  readonly code: CredentialErrorCode
  constructor(code: CredentialErrorCode, message: string, advice: string, options?: ErrorOptions) {
    super(message, advice, options)
    this.code = code
  }
}

/** A credential that never changes. */
export function fixedCredential(credential: Credential): CredentialSource {
  return { current: async () => credential, refused: () => false }
}

/** HTTP headers carry octets: texts go as UTF-8, as client-go sends them. */
export const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
