import { fileProblem } from '../../runtime/process/unreadable-file.ts'
import { type Credential, CredentialError, type CredentialSource, headerText } from './source.ts'
import type { SystemContext } from '../time/system-context.ts'

/** Bound tokens are renewed well before they expire, so a minute late does no harm. */
const KEEP_MS = 60_000

/** A bearer token that lies in a file and is renewed there. */
export class TokenFile implements CredentialSource {
  readonly #file: string
  readonly #context: Pick<SystemContext, 'monotonic' | 'readText'>
  #kept: { readonly credential: Credential; readonly readAt: number } | undefined

  constructor(file: string, context: Pick<SystemContext, 'monotonic' | 'readText'>) {
    this.#file = file
    this.#context = context
  }

  async current(): Promise<Credential> {
    const now = this.#context.monotonic()
    if (this.#kept !== undefined && now - this.#kept.readAt < KEEP_MS) return this.#kept.credential
    const credential = this.#read()
    this.#kept = { credential, readAt: now }
    return credential
  }

  refused(credential: Credential): boolean {
    // Another request may have read the file again meanwhile.
    if (this.#kept?.credential.authorization !== credential.authorization) return true
    try {
      const renewed = this.#read()
      this.#kept = { credential: renewed, readAt: this.#context.monotonic() }
      return renewed.authorization !== credential.authorization
    } catch {
      return false
    }
  }

  #read(): Credential {
    let text: string
    try {
      text = this.#context.readText(this.#file).trim()
    } catch (error) {
      // While the file is being replaced the old token is still good.
      if (this.#kept !== undefined) return this.#kept.credential
      throw this.#unusable(`cannot be read: ${fileProblem(error)}`, error)
    }
    if (text === '') {
      if (this.#kept !== undefined) return this.#kept.credential
      throw this.#unusable('is empty')
    }
    return { authorization: `Bearer ${headerText(text)}` }
  }

  #unusable(what: string, cause?: unknown): CredentialError {
    return new CredentialError('token-unreadable', `the token file ${this.#file} ${what}`, { cause })
  }
}
