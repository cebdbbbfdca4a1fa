import type { TokenReview } from '../../builtin/authentication-v1.ts'
import type { SubjectAccessReview } from '../../builtin/authorization-v1.ts'
import { objectOf, statusOf } from '../../machinery/read.ts'
import { createHash } from 'node:crypto'
import { isObject } from '../../machinery/object.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { PageAccess } from '../../runtime/probe/server.ts'

/** A client that scrapes every few seconds is reviewed now and then. */
const KEPT_MS = 10_000
const MOST_KEPT = 256
/** A client with ever new tokens must not use up the requests that the operator may send to its API server. */
const MOST_ASKED = 16

interface Kept {
  readonly access: PageAccess
  readonly until: number
}

/**
 * Lets those read `/metrics` whom the API server knows by their bearer token (TokenReview) and allows to `get` the path
 * (SubjectAccessReview), as controller-runtime's filter does.
 */
export class MetricsAccess {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #logger: Logger
  /** By a digest of the token. */
  readonly #kept = new Map<string, Kept>()
  #asked = 0

  constructor(client: Pick<KubeClient, 'request'>, clock: Pick<Clock, 'monotonic'>, logger: Logger) {
    this.#client = client
    this.#clock = clock
    this.#logger = logger
  }

  /** May a client with this `Authorization` read the path? Never rejects. */
  async decide(authorization: string | undefined, path: string, signal: AbortSignal): Promise<PageAccess> {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return 'unauthenticated'
    const key = createHash('sha256').update(`${path}\n${token}`).digest('base64')
    const kept = this.#kept.get(key)
    const now = this.#clock.monotonic()
    if (kept !== undefined && now < kept.until) return kept.access
    if (this.#asked >= MOST_ASKED) return 'unknown'
    this.#asked++
    try {
      const access = await this.#ask(token, path, signal)
      this.#keep(key, { access, until: now + KEPT_MS })
      return access
    } catch (error) {
      this.#logger.warn({ error }, 'the API server did not answer whether a client may read the metrics')
      return 'unknown'
    } finally {
      this.#asked--
    }
  }

  async #ask(token: string, path: string, signal: AbortSignal): Promise<PageAccess> {
    const known = statusOf(await this.#review<TokenReview>('authentication.k8s.io', 'TokenReview', { token }, signal))
    if (known.authenticated !== true || !isObject(known.user)) return 'unauthenticated'
    const { username, uid, groups, extra } = objectOf(known.user)
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } }
    const review = await this.#review<SubjectAccessReview>('authorization.k8s.io', 'SubjectAccessReview', spec, signal)
    return statusOf(review).allowed === true ? 'allowed' : 'forbidden'
  }

  async #review<T extends object>(group: string, kind: string, spec: object, signal: AbortSignal): Promise<T> {
    const path = `/apis/${group}/v1/${kind.toLowerCase()}s`
    return objectOf(
      await this.#client.request('POST', path, { apiVersion: `${group}/v1`, kind, spec }, { signal }),
    ) as T
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) return
      this.#kept.delete(oldest)
    }
  }
}
