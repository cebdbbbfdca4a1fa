import type { StartedServer } from './real-server.ts'

/** The parts of a server that a pool needs. */
export type PooledServer = Pick<StartedServer, 'directory' | 'pause'> & AsyncDisposable

export interface RealServerPoolOptions<Pooled extends PooledServer> {
  readonly start: () => Promise<Pooled>
  readonly clean: (server: Pooled) => Promise<void>
  /** So many are not exceeded while one of them comes back within `patienceMs`. */
  readonly most: number
  /** Tests that hold a server and wait for another must not wait for each other for ever. */
  readonly patienceMs: number
}

/**
 * Real servers that are lent one after the other, as starting one costs more than most of what is tested with it. One that comes
 * back is cleaned and stands still until it is lent again. Where `most` are lent, the next waits for one of them.
 */
export class RealServerPool<Pooled extends PooledServer> implements AsyncDisposable {
  readonly #options: RealServerPoolOptions<Pooled>
  readonly #all = new Map<string, Pooled>()
  readonly #idle: Pooled[] = []
  readonly #cleaning = new Set<Promise<void>>()
  /** Those that wait for a server, in their order; each is called with it, or with undefined where one may be started. */
  readonly #waiting: ((server: Pooled | undefined) => void)[] = []
  #starting = 0
  #isClosed = false

  constructor(options: RealServerPoolOptions<Pooled>) {
    this.#options = options
  }

  /**
   * Lends a server on which nothing of other tests is left but the CRDs of allot, or, where it has to be bare, one that nobody has
   * used. Rejects when it has to be started and does not start.
   */
  async lend({ isBare = false }: { readonly isBare?: boolean } = {}): Promise<Pooled> {
    const idle = isBare ? undefined : (this.#idle.pop() ?? (await this.#comesBack()))
    if (idle !== undefined) {
      await idle.pause(false)
      return idle
    }
    this.#starting++
    try {
      const started = await this.#options.start()
      this.#all.set(started.directory, started)
      return started
    } finally {
      this.#starting--
    }
  }

  /** The next that is clean again and that nobody before waits for; undefined where another is to be started. */
  async #comesBack(): Promise<Pooled | undefined> {
    const isFull = this.#all.size + this.#starting >= this.#options.most
    if (!isFull && this.#cleaning.size === 0) return undefined
    return new Promise((resolve) => {
      const given = (server: Pooled | undefined): void => {
        clearTimeout(timer)
        resolve(server)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(given), 1)
        resolve(undefined)
      }, this.#options.patienceMs)
      this.#waiting.push(given)
    })
  }

  /** From now on what is taken back is no longer cleaned. */
  close(): void {
    this.#isClosed = true
  }

  /** Takes a server back. It is cleaned meanwhile; one that cannot be cleaned is stopped, and the reason printed. */
  takeBack(directory: string): void {
    const server = this.#all.get(directory)
    if (server === undefined) throw new Error(`no server was lent from ${directory}`)
    if (this.#isClosed) return
    const cleaning = this.#prepare(server).finally(() => this.#cleaning.delete(cleaning))
    this.#cleaning.add(cleaning)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#cleaning)
    // Those that are lent run already.
    for (const server of this.#idle) await server.pause(false)
    for (const server of this.#all.values()) await server[Symbol.asyncDispose]()
  }

  async #prepare(server: Pooled): Promise<void> {
    try {
      await this.#options.clean(server)
      await server.pause(true)
      this.#idle.push(server)
    } catch (error) {
      console.error(`a real API server could not be cleaned: ${String(error)}`)
      this.#all.delete(server.directory)
      await server[Symbol.asyncDispose]()
    }
    // The first gets the clean server; where it could not be cleaned, the first starts another.
    this.#waiting.shift()?.(this.#idle.pop())
  }
}
