import type { Clock } from '../../kube/time/clock.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import { isCrowded } from '../bounds/accounts.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { EventStream } from './event-stream.ts'
import { Feed } from './feed.ts'

/** A page that leaves so much unread is cut off. */
const MOST_UNREAD_BYTES = 64 * 1024

export interface StreamsOptions {
  readonly context: Clock
  readonly logger: Logger
}

/** The open streams. Pages of one viewer that look at the same namespace share its watches. */
export class Streams {
  readonly #options: StreamsOptions
  readonly #feeds = new Map<string, Feed>()

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Answers with a stream, and resolves when it has ended. Throws as `Account` does where too many are open, and rejects as `KubeClient` does before it begins. */
  async serve(exchange: Exchange, viewer: Viewer, namespace: string): Promise<void> {
    const { context } = this.#options
    const ousted = new AbortController()
    using _counted = viewer.beginStream(() => ousted.abort())
    // What cannot be read at all is refused with a code, and not with a stream.
    const kinds = await viewer.kinds()
    if (!exchange.isAwaited) return
    if (ousted.signal.aborted) throw isCrowded()
    const stream = exchange.stream('text/event-stream', MOST_UNREAD_BYTES)
    const page = new EventStream(stream, AbortSignal.any([exchange.closed, ousted.signal]), context)
    const leave = this.#feedOf(viewer, namespace, kinds).listen(page)
    try {
      await page.beat()
    } finally {
      leave()
    }
  }

  /** Ends all watches. */
  stop(): void {
    for (const feed of this.#feeds.values()) feed.stop()
  }

  #feedOf(viewer: Viewer, namespace: string, kinds: ServedKinds): Feed {
    const key = `${viewer.key} ${namespace}`
    const found = this.#feeds.get(key)
    if (found !== undefined) return found
    const onOver = (): void => void this.#feeds.delete(key)
    const feed = new Feed({ viewer, namespace, kinds, ...this.#options, onOver })
    this.#feeds.set(key, feed)
    feed.start()
    return feed
  }
}
