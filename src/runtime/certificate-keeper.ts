import type { KeyPair } from './certificate-check.ts'
import type { Logger } from './logger.ts'

/** What a server presents, and what those who call it have to trust. */
export interface ServingCertificate extends KeyPair {
  /** PEM of one or more authorities, for `caBundle`; '' where callers know whom to trust. */
  readonly bundle: string
}

export interface KeeperOptions {
  /** Gives what is to be used from now on, which may be what was used before. */
  readonly read: (signal: AbortSignal) => Promise<ServingCertificate>
  /** It is read again after about so many milliseconds. */
  readonly everyMs: number
  /** Gives numbers in [0, 1): processes that were started together are not to read together. */
  readonly random: () => number
  /** Resolves after that many milliseconds; rejects when the signal aborts first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly logger: Logger
}

type Listener = (certificate: ServingCertificate) => void

/** Keeps the certificate of a server up to date. While it cannot be read, or makes no sense, the last good one stays. */
export class CertificateKeeper {
  readonly #options: KeeperOptions
  readonly #abort = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #loop: Promise<void>
  #current: ServingCertificate
  #reading: Promise<void> | undefined
  #complaint = ''

  private constructor(options: KeeperOptions, current: ServingCertificate) {
    this.#options = options
    this.#current = current
    this.#loop = this.#run()
  }

  /** Reads for the first time; rejects with what `read` throws. */
  static async start(options: KeeperOptions, signal: AbortSignal): Promise<CertificateKeeper> {
    return new CertificateKeeper(options, await options.read(signal))
  }

  get current(): ServingCertificate {
    return this.#current
  }

  /** Tells of every other certificate or bundle from now on. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /** Reads now; at most one reading at a time. Rejects with what `read` throws, and then nothing has changed. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  async #read(): Promise<void> {
    const { certificate, key, bundle } = await this.#options.read(this.#abort.signal)
    this.#complaint = ''
    const old = this.#current
    if (certificate === old.certificate && key === old.key && bundle === old.bundle) return
    this.#current = { certificate, key, bundle }
    try {
      for (const listener of this.#listeners) listener(this.#current)
    } catch (error) {
      // Who cannot use it is told again the next time.
      this.#current = old
      throw error
    }
    this.#options.logger.info({}, 'the certificate of the webhooks has changed')
  }

  async #run(): Promise<void> {
    const { everyMs, random, sleep, logger } = this.#options
    const { signal } = this.#abort
    for (;;) {
      try {
        await sleep(everyMs * (0.75 + random() / 2), signal)
        await this.refresh()
      } catch (error) {
        if (signal.aborted) return
        const complaint = String(error)
        // What stays wrong is told once.
        if (complaint !== this.#complaint)
          logger.error({ error }, 'the certificate of the webhooks could not be read: the last good one stays in use')
        this.#complaint = complaint
      }
    }
  }
}
