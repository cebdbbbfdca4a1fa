import { createHmac, randomBytes } from 'node:crypto'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { isAllowed } from '../../kube/client/missing-access.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import { type Rate, RateLimit } from '../../kube/time/rate-limit.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { ApiError, isForbidden, isNotFound, tooManyRequests, unauthorized } from '../../machinery/status.ts'
import { networkOf } from '../../runtime/http/network-of.ts'
import { Accounts } from '../bounds/accounts.ts'
import { claimedIdentity, type Identity, reviewedIdentity } from './identity.ts'
import { type Known, KnownViewers } from './known-viewers.ts'
import { type BearerAccess, Viewer } from './viewer.ts'

/** As long is a token that the API server has accepted taken to be good. */
const PROVEN_MS = 10_000
/** Unknown tokens that are tried at a time, and how fast those of one network and of all are. */
const MOST_TRIED = 32
const TRYING: Rate = { qps: 10, burst: 40 }
const ALL_TRYING: Rate = { qps: 100, burst: 200 }
const MOST_NETWORKS = 1024

export interface ViewersOptions extends BearerAccess {
  readonly context: Pick<SystemContext, 'monotonic' | 'sleep'>
}

/** The viewers whose tokens the API server has accepted lately. Tokens are kept nowhere but in their clients. */
export class Viewers {
  readonly #options: ViewersOptions
  readonly #accounts: Accounts
  readonly #known: KnownViewers
  /** Of this process only: the digest of a token is of no use elsewhere. */
  readonly #secret = randomBytes(32)
  readonly #trying = new Map<string, RateLimit>()
  readonly #allTrying: RateLimit
  #tried = 0

  constructor(options: ViewersOptions) {
    const { context } = options
    this.#options = options
    this.#accounts = new Accounts(context)
    this.#known = new KnownViewers(this.#accounts.tokens, context)
    this.#allTrying = new RateLimit(ALL_TRYING, context)
  }

  /** The bearer of a token. Throws 401 where the API server does not know it, 429 where too many are tried or known, and as `KubeClient` does. */
  async of(token: string, remoteAddress: string): Promise<Viewer> {
    const key = createHmac('sha256', this.#secret).update(token).digest('base64url')
    const known = this.#known.get(key)
    if (known === undefined) return await this.#stranger(key, token, remoteAddress)
    known.usedAt = this.#options.context.monotonic()
    if (known.usedAt >= known.provenUntil)
      await (known.proving ??= this.#proveAgain(known, token).finally(() => (known.proving = undefined)))
    return known.viewer
  }

  /** The API server no longer accepts the token of this viewer. */
  forget(viewer: Viewer): void {
    if (this.#known.get(viewer.key)?.viewer === viewer) this.#known.delete(viewer)
  }

  /** So many viewers, accounts and networks are remembered. */
  get size(): number {
    return this.#known.size + this.#accounts.size + this.#trying.size
  }

  async #stranger(key: string, token: string, remoteAddress: string): Promise<Viewer> {
    const { context, clientOf, reviewerOf } = this.#options
    if (
      this.#tried >= MOST_TRIED ||
      !this.#networkLimit(networkOf(remoteAddress)).takeNow() ||
      !this.#allTrying.takeNow()
    )
      throw tooManyRequests('too many unknown tokens are tried, please try again', 1)
    const asked = context.monotonic()
    const reviewer = reviewerOf(token)
    this.#tried++
    let identity: Identity
    try {
      identity = await identified(reviewer, token, key)
    } finally {
      this.#tried--
    }
    // Another request may have come with the same token meanwhile: its viewer is the same.
    const other = this.#known.get(key)
    if (other !== undefined) return other.viewer
    const viewer = new Viewer({
      key,
      account: this.#accounts.of(identity.account),
      ownNamespace: identity.namespace,
      clientOf: (limit, reader) => clientOf(token, limit, reader),
      reviewer,
      context,
    })
    const now = context.monotonic()
    this.#known.add({ viewer, since: now, usedAt: now, provenUntil: asked + PROVEN_MS, proving: undefined })
    return viewer
  }

  async #proveAgain(known: Known, token: string): Promise<void> {
    const { context, reviewerOf } = this.#options
    const asked = context.monotonic()
    try {
      await identified(reviewerOf(token), token, known.viewer.key)
    } catch (error) {
      if (isUnauthorized(error)) this.forget(known.viewer)
      throw error
    }
    known.provenUntil = asked + PROVEN_MS
  }

  #networkLimit(network: string): RateLimit {
    const found = this.#trying.get(network)
    if (found !== undefined) return found
    for (const [name, limit] of this.#trying) if (limit.isFull) this.#trying.delete(name)
    const [oldest] = this.#trying.keys()
    if (this.#trying.size >= MOST_NETWORKS && oldest !== undefined) this.#trying.delete(oldest)
    const limit = new RateLimit(TRYING, this.#options.context)
    this.#trying.set(network, limit)
    return limit
  }
}

const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

/** Who bears the token, as the API server says. Throws 401 where it does not know the token, and as `KubeClient` does. */
async function identified(reviewer: Pick<KubeClient, 'request'>, token: string, digest: string): Promise<Identity> {
  try {
    const identity = reviewedIdentity(
      await reviewer.request('POST', `/apis/${REVIEW.apiVersion}/selfsubjectreviews`, REVIEW, {
        signal: NEVER_ABORTED,
      }),
    )
    if (identity !== undefined) return identity
  } catch (error) {
    if (isUnauthorized(error)) throw unauthorized()
    if (!isForbidden(error) && !isNotFound(error)) throw error
  }
  // API servers before 1.28 have no such review. Everybody who is authenticated may ask for the own rights; the answer does not matter.
  const asked = { verb: 'get', group: '', resource: 'namespaces', subresource: '', namespace: '', name: '' }
  try {
    await isAllowed(reviewer, asked, NEVER_ABORTED)
  } catch (error) {
    if (isUnauthorized(error)) throw unauthorized()
    if (!isForbidden(error)) throw error
  }
  return claimedIdentity(token, digest)
}

/** Does the API server not know the bearer of the token? */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status.code === 401
