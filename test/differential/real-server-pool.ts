import type { StartedServer } from './real-server.ts'

/** The parts of a server that a pool needs. */
export type PooledServer = Pick<StartedServer, 'directory' | 'pause'> & AsyncDisposable

/**
 * Real servers that are lent one after the other, as starting one costs more than most of what is tested with it. One that comes
 * back is cleaned and stands still until it is lent again. There are as many as were lent at a time.
 */
export class RealServerPool<Pooled extends PooledServer> implements AsyncDisposable {
  readonly #start: () => Promise<Pooled>
  readonly #clean: (server: Pooled) => Promise<void>
  readonly #all = new Map<string, Pooled>()
  readonly #idle: Pooled[] = []
  readonly #cleaning = new Set<Promise<void>>()
  #isClosed = false

  constructor({ start, clean }: { start: () => Promise<Pooled>; clean: (server: Pooled) => Promise<void> }) {
    this.#start = start
    this.#clean = clean
  }

  /**
   * Lends a server on which nothing of other tests is left but the CRDs of allot, or, where it has to be bare, one that nobody has
   * used. Rejects when it has to be started and does not start.
   */
  async lend({ isBare = false }: { readonly isBare?: boolean } = {}): Promise<Pooled> {
    for (;;) {
      if (isBare) break
      const idle = this.#idle.pop()
      if (idle !== undefined) {
        idle.pause(false)
        return idle
      }
      if (this.#cleaning.size === 0) break
      await Promise.race(this.#cleaning)
    }
    const started = await this.#start()
    this.#all.set(started.directory, started)
    return started
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
    for (const server of this.#idle) server.pause(false)
    for (const server of this.#all.values()) await server[Symbol.asyncDispose]()
  }

  async #prepare(server: Pooled): Promise<void> {
    try {
      await this.#clean(server)
      server.pause(true)
      this.#idle.push(server)
    } catch (error) {
      console.error(`a real API server could not be cleaned: ${String(error)}`)
      this.#all.delete(server.directory)
      await server[Symbol.asyncDispose]()
    }
  }
}
