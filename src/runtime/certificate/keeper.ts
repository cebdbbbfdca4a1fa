import type { KeyPair } from './check.ts'
import type { ClockSteps } from '../time/clock-steps.ts'
import type { Logger } from '../process/logger.ts'

/** The certificate that a server presents, and the authorities that its callers have to trust. */
export interface ServingCertificate extends KeyPair {
  /** PEM of one or more authorities, for `caBundle`; '' where callers have the authorities already. */
  readonly bundle: string
  /** The authority that signed it and can sign other names; absent if it is not allot's own, or not in use yet. */
  readonly authority?: KeyPair
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
  /** After a step of the clock it is read at once: what was valid may not be any more. */
  readonly clockSteps: Pick<ClockSteps, 'subscribe'>
  readonly logger: Logger
}

/** How long after a failure it is read again, at first; then later and later. */
const RETRY_MS = 1000

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
  /** The clock was set, and nothing has been read since. */
  #stepped = false
  #wake = new AbortController()
  #failures = 0

  private constructor(options: KeeperOptions, current: ServingCertificate) {
    this.#options = options
    this.#current = current
    const end = options.clockSteps.subscribe(() => {
      this.#stepped = true
      this.#wake.abort()
    })
    this.#loop = this.#run().finally(end)
  }

  /** Reads for the first time; rejects with what `read` throws. */
  static async start(options: KeeperOptions, signal: AbortSignal): Promise<CertificateKeeper> {
    return new CertificateKeeper(options, await options.read(signal))
  }

  get current(): ServingCertificate {
    return this.#current
  }

  /** Calls `listener` with every new certificate or bundle from now on. */
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
    const read = await this.#options.read(this.#abort.signal)
    const { certificate, key, bundle } = read
    this.#complaint = ''
    const old = this.#current
    if (certificate === old.certificate && key === old.key && bundle === old.bundle) return
    this.#current = read
    try {
      for (const listener of this.#listeners) listener(this.#current)
    } catch (error) {
      // A listener that cannot use it is called again the next time.
      this.#current = old
      throw error
    }
    this.#options.logger.info({}, 'the certificate of the webhooks has changed')
  }

  async #run(): Promise<void> {
    const { logger } = this.#options
    const { signal } = this.#abort
    for (;;) {
      try {
        await this.#pause()
        // A reading that is under way may have begun before the clock was set.
        if (this.#stepped) await this.#reading?.catch(() => undefined)
        this.#stepped = false
        await this.refresh()
        this.#failures = 0
      } catch (error) {
        this.#failures++
        if (signal.aborted) return
        const complaint = String(error)
        // A lasting error is reported once.
        if (complaint !== this.#complaint)
          logger.error({ error }, 'the certificate of the webhooks could not be read: the last good one stays in use')
        this.#complaint = complaint
      }
    }
  }

  /** Until it is time to read; a step of the clock ends it. */
  async #pause(): Promise<void> {
    const { everyMs, random, sleep } = this.#options
    const { signal } = this.#abort
    const ms = this.#failures === 0 ? everyMs : Math.min(everyMs, RETRY_MS * 2 ** Math.min(this.#failures - 1, 10))
    this.#wake = new AbortController()
    if (this.#stepped) return
    try {
      await sleep(ms * (0.75 + random() / 2), AbortSignal.any([signal, this.#wake.signal]))
    } catch (error) {
      if (signal.aborted || !this.#wake.signal.aborted) throw error
    }
  }
}
