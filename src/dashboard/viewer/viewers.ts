import { createHmac, randomBytes } from 'node:crypto'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { type Rate, RateLimit } from '../../kube/time/rate-limit.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { ApiError, isForbidden, tooManyRequests, unauthorized } from '../../machinery/status.ts'
import { networkOf } from '../../runtime/http/network-of.ts'
import { Viewer } from './viewer.ts'

/** How fast one viewer may ask the API server: a view of a namespace takes some thirty requests. */
const VIEWER_RATE: Rate = { qps: 100, burst: 300 }
/** As long is a token that the API server has accepted taken to be good. */
const PROVEN_MS = 10_000
const MOST_VIEWERS = 256
/** Unknown tokens that are tried at a time, and how fast those of one network are. */
const MOST_TRIED = 32
const TRYING: Rate = { qps: 10, burst: 40 }
const MOST_NETWORKS = 1024

interface Known {
  readonly viewer: Viewer
  provenUntil: number
  proving: Promise<void> | undefined
}

export interface ViewersOptions {
  readonly clientOf: (token: string, rate: Rate) => KubeClient
  readonly context: Pick<SystemContext, 'monotonic' | 'sleep'>
}

/** The viewers whose tokens the API server has accepted lately. Tokens are kept nowhere but in their clients. */
export class Viewers {
  readonly #options: ViewersOptions
  /** By a digest of the token, the one that came last at the end. */
  readonly #known = new Map<string, Known>()
  /** Of this process only: the digest of a token is of no use elsewhere. */
  readonly #secret = randomBytes(32)
  readonly #trying = new Map<string, RateLimit>()
  #tried = 0

  constructor(options: ViewersOptions) {
    this.#options = options
  }

  /** The bearer of a token. Throws 401 where the API server does not know it, 429 where too many are tried, and as `KubeClient` does. */
  async of(token: string, remoteAddress: string): Promise<Viewer> {
    const key = createHmac('sha256', this.#secret).update(token).digest('base64url')
    const known = this.#known.get(key)
    if (known === undefined) return await this.#stranger(key, token, remoteAddress)
    if (this.#options.context.monotonic() >= known.provenUntil)
      await (known.proving ??= this.#prove(known).finally(() => (known.proving = undefined)))
    this.#known.delete(key)
    this.#known.set(key, known)
    return known.viewer
  }

  /** The API server no longer accepts the token of this viewer. */
  forget({ key }: Viewer): void {
    this.#known.delete(key)
  }

  async #stranger(key: string, token: string, remoteAddress: string): Promise<Viewer> {
    if (this.#tried >= MOST_TRIED || !this.#networkLimit(networkOf(remoteAddress)).takeNow())
      throw tooManyRequests('too many unknown tokens are tried, please try again', 1)
    const viewer = new Viewer(key, this.#options.clientOf(token, VIEWER_RATE), this.#options.context)
    const known: Known = { viewer, provenUntil: 0, proving: undefined }
    this.#tried++
    try {
      await this.#prove(known)
    } finally {
      this.#tried--
    }
    // Another request may have come with the same token meanwhile: its bounds are those of one viewer.
    const other = this.#known.get(key)
    if (other !== undefined) return other.viewer
    this.#makeRoom()
    this.#known.set(key, known)
    return viewer
  }

  async #prove(known: Known): Promise<void> {
    const asked = this.#options.context.monotonic()
    try {
      // Everybody who is authenticated may ask for the own rights; the answer does not matter.
      await known.viewer.prove()
    } catch (error) {
      if (isUnauthorized(error)) {
        this.forget(known.viewer)
        throw unauthorized()
      }
      if (!isForbidden(error)) throw error
    }
    known.provenUntil = asked + PROVEN_MS
  }

  #makeRoom(): void {
    if (this.#known.size < MOST_VIEWERS) return
    for (const [key, { viewer }] of this.#known)
      if (viewer.isIdle) {
        this.#known.delete(key)
        return
      }
    throw tooManyRequests('too many viewers are here, please try again', 10)
  }

  #networkLimit(network: string): RateLimit {
    const found = this.#trying.get(network)
    if (found !== undefined) return found
    if (this.#trying.size >= MOST_NETWORKS)
      for (const [name, limit] of this.#trying) if (limit.isFull) this.#trying.delete(name)
    const [oldest] = this.#trying.keys()
    if (this.#trying.size >= MOST_NETWORKS && oldest !== undefined) this.#trying.delete(oldest)
    const limit = new RateLimit(TRYING, this.#options.context)
    this.#trying.set(network, limit)
    return limit
  }
}

/** Does the API server not know the bearer of the token? */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status.code === 401
