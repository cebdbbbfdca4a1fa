import type { ClockSteps } from '../time/clock-steps.ts'
import type { DataDirectory } from '../files/data-directory.ts'
import { type Identity, openIdentity } from './identity.ts'
import type { Logger } from '../process/logger.ts'

/** Certificates last for years: this is for processes that run as long. */
const EVERY_MS = 3_600_000
/** After a failure. */
const RETRY_MS = 10_000

export interface IdentityKeeperOptions {
  readonly directory: DataDirectory
  readonly names: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly clockSteps: Pick<ClockSteps, 'subscribe'>
  /** Called with every new certificate, and the one that was used before. */
  readonly onChange: (identity: Identity, before: Identity) => void
  readonly logger: Logger
}

/** Renews the certificates of a running server as a start would, now and then and as soon as the clock was set. */
export class IdentityKeeper {
  readonly #options: IdentityKeeperOptions
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout
  #current: Identity
  #looking: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: IdentityKeeperOptions, current: Identity) {
    this.#options = options
    this.#current = current
    this.#timer = setInterval(() => void this.look(), EVERY_MS).unref()
    this.#unsubscribe = options.clockSteps.subscribe(() => void this.look())
  }

  /** The certificate that is presented now. */
  get current(): Identity {
    return this.#current
  }

  /** Looks now, behind the look that is under way: the clock may have been set since that began. */
  look(): Promise<void> {
    clearTimeout(this.#retry)
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  /** Resolves when the directory is no longer read. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    clearInterval(this.#timer)
    clearTimeout(this.#retry)
    await this.#looking
  }

  async #look(): Promise<void> {
    if (this.#stopped) return
    const { directory, names, now, onChange, logger } = this.#options
    try {
      const before = this.#current
      const identity = await openIdentity(directory, names, now())
      const { server, authority } = identity
      if (server.certificate === before.server.certificate && authority.certificate === before.authority.certificate)
        return
      onChange(identity, before)
      this.#current = identity
      logger.info({}, 'the certificate of the API was renewed')
    } catch (error) {
      logger.error({ error }, 'the certificate of the API could not be renewed: the old one stays in use')
      if (!this.#stopped) this.#retry = setTimeout(() => void this.look(), RETRY_MS).unref()
    }
  }
}
