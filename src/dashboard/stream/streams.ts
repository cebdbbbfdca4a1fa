import type { SystemContext } from '../../kube/time/system-context.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { EventStream } from './event-stream.ts'
import { Feed } from './feed.ts'

/** So many streams of all viewers together are open. */
const MOST_STREAMS = 100
/** A page that leaves so much unread is cut off. */
const MOST_UNREAD_BYTES = 64 * 1024

export interface StreamsOptions {
  readonly context: Pick<SystemContext, 'sleep'>
  readonly logger: Logger
}

/** The open streams. Pages of one viewer that look at the same namespace share its watches. */
export class Streams {
  readonly #options: StreamsOptions
  readonly #feeds = new Map<string, Feed>()
  #open = 0

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Answers with a stream, and resolves when it has ended. Throws 429 where too many are open, and rejects as `KubeClient` does before it begins. */
  async serve(exchange: Exchange, viewer: Viewer, namespace: string): Promise<void> {
    const { context } = this.#options
    if (this.#open >= MOST_STREAMS) throw tooManyRequests('too many streams are open, please try again', 10)
    this.#open++
    try {
      using _counted = viewer.beginStream()
      // What cannot be read at all is refused with a code, and not with a stream.
      const kinds = await viewer.kinds()
      const stream = exchange.stream('text/event-stream', MOST_UNREAD_BYTES)
      const page = new EventStream(stream, exchange.closed, context)
      const leave = this.#feedOf(viewer, namespace, kinds).listen(page)
      try {
        await page.beat()
      } finally {
        leave()
      }
    } finally {
      this.#open--
    }
  }

  /** Ends all watches. */
  stop(): void {
    for (const feed of this.#feeds.values()) feed.stop()
  }

  #feedOf(viewer: Viewer, namespace: string, kinds: ServedKinds): Feed {
    const key = `${viewer.key} ${namespace}`
    const found = this.#feeds.get(key)
    if (found !== undefined && !found.isOver) return found
    for (const [other, { isOver }] of this.#feeds) if (isOver) this.#feeds.delete(other)
    const feed = new Feed({ viewer, namespace, kinds, ...this.#options })
    this.#feeds.set(key, feed)
    feed.start()
    return feed
  }
}
