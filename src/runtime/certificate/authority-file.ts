import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { certificatesIn } from './check.ts'
import { type Chance, repeatedly } from '../time/repeatedly.ts'
import type { Logger } from '../process/logger.ts'
import { StartupError } from '../process/startup-error.ts'
import { unreadableFile } from '../process/unreadable-file.ts'

export interface AuthorityFileOptions extends Chance {
  /** The path of a PEM file with one or more authorities. */
  readonly file: string
  /** How often it is read: what is behind a mounted path changes without a sign. */
  readonly everyMs?: number
  readonly logger: Logger
}

const EVERY_MS = 10_000

/** The authorities in a file, followed as they change. While the file cannot be used, the last good ones stay. */
export class AuthorityFile {
  readonly #options: AuthorityFileOptions
  readonly #abort = new AbortController()
  readonly #loop: Promise<void>
  #current: string
  #complaint = ''
  #listener: (authority: string) => void = () => undefined

  private constructor(options: AuthorityFileOptions, current: string) {
    this.#options = options
    this.#current = current
    const { everyMs = EVERY_MS } = options
    const { signal } = this.#abort
    this.#loop = repeatedly(options, everyMs, signal, () => this.#look(signal))
  }

  /** Reads the file. Throws StartupError when it cannot be used. */
  static async open(options: AuthorityFileOptions, signal: AbortSignal): Promise<AuthorityFile> {
    return new AuthorityFile(options, await readAuthorities(options.file, signal))
  }

  /** PEM. */
  get current(): string {
    return this.#current
  }

  /** Calls the listener with all changes from now on. */
  onChange(listener: (authority: string) => void): void {
    this.#listener = listener
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { file, logger } = this.#options
    try {
      const read = await readAuthorities(file, signal)
      this.#complaint = ''
      if (read === this.#current) return
      this.#listener(read)
      this.#current = read
      logger.info({ file }, 'the authorities of the webhooks’ callers have changed')
    } catch (error) {
      if (signal.aborted) return
      const complaint = String(error)
      if (complaint !== this.#complaint)
        logger.error(
          { error, file },
          'the authorities of the webhooks’ callers could not be read: the last good ones stay',
        )
      this.#complaint = complaint
    }
  }
}

/** The text of a file that holds authorities. Throws StartupError when it does not. */
export async function readAuthorities(file: string, signal: AbortSignal): Promise<string> {
  const unusable = (why: string, options?: ErrorOptions): StartupError =>
    new StartupError('client-authority-unusable', `the file ${file} ${why}`, options)
  let text: string
  try {
    text = await readFile(file, { encoding: 'utf8', signal })
  } catch (cause) {
    throw new StartupError('client-authority-unusable', unreadableFile(file, cause, '--webhook-client-ca'), { cause })
  }
  if (certificatesIn(text).length === 0) throw unusable('holds no certificate')
  try {
    createSecureContext({ ca: text })
  } catch (cause) {
    throw unusable(`cannot be used (${cause instanceof Error ? cause.message : String(cause)})`, { cause })
  }
  return text
}
