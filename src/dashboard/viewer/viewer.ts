import type { KubeClient } from '../../kube/client/kube-client.ts'
import { isAllowed } from '../../kube/client/missing-access.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import { RateLimit } from '../../kube/time/rate-limit.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'

/** What is asked about a right. `namespace` is empty for all namespaces. */
export interface Right {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
}

/** How fast a viewer may ask: more than a page does that somebody clicks through. */
const ASKING = { qps: 20, burst: 60 }
/** So many requests of one viewer are answered at a time, and so many streams are open. */
const MOST_RUNNING = 8
const MOST_STREAMS = 12
/** As long is a right believed. What asks again as often notices within twice the time that it is gone. */
const RIGHT_MS = 5_000
const MOST_RIGHTS = 1000
/** As long are the kinds of the API server taken to be the same. */
const KINDS_MS = 30_000

interface Kept<T> {
  readonly value: Promise<T>
  readonly until: number
}

/** The bearer of a token. Whatever is read for a viewer is read through the viewer's own client. */
export class Viewer {
  /** Tells viewers apart, and tells nothing of their tokens. */
  readonly key: string
  readonly client: KubeClient
  readonly #context: Pick<SystemContext, 'monotonic' | 'sleep'>
  readonly #asking: RateLimit
  readonly #rights = new Map<string, Kept<boolean>>()
  #kinds: Kept<ServedKinds> | undefined
  #running = 0
  #streams = 0

  constructor(key: string, client: KubeClient, context: Pick<SystemContext, 'monotonic' | 'sleep'>) {
    this.key = key
    this.client = client
    this.#context = context
    this.#asking = new RateLimit(ASKING, context)
  }

  /** Is nothing of this viewer under way? */
  get isIdle(): boolean {
    return this.#running === 0 && this.#streams === 0
  }

  /** Counts a request until it is disposed. Throws 429 where the viewer asks too much. */
  begin(): Disposable {
    if (this.#running >= MOST_RUNNING || !this.#asking.takeNow())
      throw tooManyRequests('this token asks too much, please try again', 1)
    this.#running++
    return { [Symbol.dispose]: () => void this.#running-- }
  }

  /** Counts a stream until it is disposed. Throws 429 where the viewer has too many. */
  beginStream(): Disposable {
    if (this.#streams >= MOST_STREAMS) throw tooManyRequests('this token has too many open streams, please end one', 10)
    this.#streams++
    return { [Symbol.dispose]: () => void this.#streams-- }
  }

  /** The kinds that the API server shows the viewer. Rejects as `KubeClient` does. */
  kinds(): Promise<ServedKinds> {
    const now = this.#context.monotonic()
    if (this.#kinds !== undefined && now < this.#kinds.until) return this.#kinds.value
    // Several requests wait for it, so that none of them ends it.
    const value = ServedKinds.read(this.client, NEVER_ABORTED)
    this.#kinds = { value, until: now + KINDS_MS }
    value.catch(() => (this.#kinds = undefined))
    return value
  }

  /** Rejects with 401 where the API server does not know the token, and as `KubeClient` does. */
  async prove(): Promise<void> {
    const asked = { verb: 'get', group: '', resource: 'namespaces', subresource: '', namespace: '', name: '' }
    await isAllowed(this.client, asked, NEVER_ABORTED)
  }

  /** May the viewer do this? The answer is at most five seconds old. Rejects as `KubeClient` does. */
  may({ verb, group, resource, namespace }: Right): Promise<boolean> {
    const now = this.#context.monotonic()
    const question = [verb, group, resource, namespace].join(' ')
    const kept = this.#rights.get(question)
    if (kept !== undefined && now < kept.until) return kept.value
    const asked = { verb, group, resource, subresource: '', namespace, name: '' }
    const value = isAllowed(this.client, asked, NEVER_ABORTED)
    this.#rights.delete(question)
    this.#rights.set(question, { value, until: now + RIGHT_MS })
    value.catch(() => this.#rights.delete(question))
    const [oldest] = this.#rights.keys()
    if (this.#rights.size > MOST_RIGHTS && oldest !== undefined) this.#rights.delete(oldest)
    return value
  }
}
