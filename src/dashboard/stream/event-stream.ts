import type { SystemContext } from '../../kube/time/system-context.ts'
import { pause } from '../../kube/time/clock.ts'
import type { TextStream } from '../../runtime/http/exchange.ts'
import type { FeedListener, WatchState } from './feed.ts'

/** Changes of so long go out together. */
const GATHER_MS = 250
/** As often something goes out, so that what lies between knows that the stream lives. */
const HEARTBEAT_MS = 15_000
/** Of more namespaces at a time only the kind is told. */
const MOST_NAMESPACES = 100

/** Sends a page what has changed, in the format of event streams. It holds no more than the kinds and a bounded number of namespaces. */
export class EventStream implements FeedListener {
  readonly #stream: TextStream
  readonly #context: Pick<SystemContext, 'sleep'>
  readonly #over = new AbortController()
  readonly #states = new Map<string, WatchState>()
  readonly #changes = new Map<string, Set<string> | 'many'>()
  #hasNewStates = false
  #isGathering = false

  /** `closed` aborts when the page is gone. */
  constructor(stream: TextStream, closed: AbortSignal, context: Pick<SystemContext, 'sleep'>) {
    this.#stream = stream
    this.#context = context
    const end = (): void => this.#over.abort()
    if (closed.aborted) end()
    else closed.addEventListener('abort', end, { once: true })
  }

  /** Resolves when the page is gone, does not read, or its token is not known any more. */
  async beat(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      this.#write(': heartbeat\n\n')
      await pause(this.#context, HEARTBEAT_MS, signal)
    }
    this.#stream.end()
  }

  readonly changed = (resource: string, namespace: string): void => {
    const before = this.#changes.get(resource)
    if (before === 'many') return
    const namespaces = before ?? new Set()
    namespaces.add(namespace)
    this.#changes.set(resource, namespaces.size > MOST_NAMESPACES ? 'many' : namespaces)
    this.#gather()
  }

  readonly stateOf = (resource: string, state: WatchState): void => {
    this.#states.set(resource, state)
    this.#hasNewStates = true
    this.#gather()
  }

  readonly ended = (): void => {
    this.#write(event('end', { reason: 'unauthenticated' }))
    this.#over.abort()
  }

  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    void pause(this.#context, GATHER_MS, this.#over.signal).then(() => this.#flush())
  }

  #flush(): void {
    this.#isGathering = false
    if (this.#over.signal.aborted) return
    if (this.#hasNewStates) {
      this.#hasNewStates = false
      const kinds = [...this.#states].map(([resource, state]) => ({ resource, state }))
      this.#write(event('watching', { kinds }))
    }
    if (this.#changes.size > 0) {
      const changes = [...this.#changes].map(([resource, namespaces]) => ({
        resource,
        // Without them it may be any.
        ...(namespaces === 'many' || namespaces.has('') ? {} : { namespaces: [...namespaces] }),
      }))
      this.#changes.clear()
      this.#write(event('change', { changes }))
    }
  }

  #write(text: string): void {
    if (!this.#over.signal.aborted && !this.#stream.write(text)) this.#over.abort()
  }
}

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
