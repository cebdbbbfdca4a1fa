import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { type Clock, pause } from '../../kube/time/clock.ts'
import { DeadlineExceeded } from '../../kube/time/deadline.ts'
import { ServerUnreachable } from '../../kube/transport/server-unreachable.ts'
import { ApiError, isForbidden, qualified } from '../../machinery/status.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { isUnauthorized } from '../viewer/viewers.ts'
import { WatchRight } from './watch-right.ts'
import { WATCHED_KINDS, type WatchedKind } from './watched-kinds.ts'

/** How long to wait before a watch that failed, or was refused, is tried again. */
const TRY_AGAIN_MS = 2_000
const ASK_AGAIN_MS = 5_000

/**
 * A page reads at most once a second, whatever it is told. After so many changes of a kind within a second its watch ends, so that a page costs no
 * more where more changes: the next watch says that there were changes.
 */
const MOST_CHANGES = 50
const CHANGES_WITHIN_MS = 1_000

const EXPECTED = [ApiError, ServerUnreachable, DeadlineExceeded]

/** How it stands with a kind: it is watched, the viewer may not watch it, or the API server does not answer now. */
export type WatchState = 'watched' | 'refused' | 'unreachable'

/** Told of what happens; each call is cheap. */
export interface FeedListener {
  /** An object of the kind has changed in the namespace, which is empty for what is in none. */
  readonly changed: (resource: string, namespace: string) => void
  /** First called once a kind is watched, or each kind has a state: before that nobody knows whether a page will hear of changes. */
  readonly stateOf: (resource: string, state: WatchState) => void
  /** The API server does not know the token any more. Nothing follows. */
  readonly ended: () => void
}

export interface FeedOptions {
  readonly viewer: Viewer
  /** Empty: all namespaces. */
  readonly namespace: string
  /** Kinds that the API server serves later are not watched. */
  readonly kinds: Pick<ServedKinds, 'of'>
  readonly context: Clock
  readonly logger: Logger
  /** Called once, when it has ended. */
  readonly onOver: () => void
}

/** Watches what one viewer may watch, with the viewer's own token, for all pages of the viewer that look at the same. */
export class Feed {
  readonly #options: FeedOptions
  readonly #listeners = new Set<FeedListener>()
  readonly #states = new Map<string, WatchState>()
  #followed = 0
  #isSettled = false
  readonly #over = new AbortController()

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Has it ended, for whatever reason? */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Begins to watch. */
  start(): void {
    const followed = WATCHED_KINDS.flatMap((watched) => {
      const kind = this.#options.kinds.of(watched.group, watched.resource)
      return kind === undefined ? [] : [{ watched, kind }]
    })
    this.#followed = followed.length
    for (const { watched, kind } of followed) void this.#follow(watched, kind)
  }

  /** The listener is told how it stands now, and of all that happens from now on. Returns what ends that. */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    if (this.#isSettled) this.#tellStates(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  stop(): void {
    if (this.isOver) return
    this.#over.abort()
    this.#options.onOver()
  }

  /** Never rejects. */
  async #follow(watched: WatchedKind, kind: ResourceKind): Promise<void> {
    const { context, logger } = this.#options
    const { signal } = this.#over
    const resource = qualified(kind)
    while (!signal.aborted) {
      let wait = TRY_AGAIN_MS
      try {
        // An API server ends watches after some minutes. One that ends them at once is not to be asked without end.
        const right = this.#rightTo(kind)
        if (await right.confirm(signal)) await this.#watchWhileAllowed(watched, kind, right)
        else {
          wait = ASK_AGAIN_MS
          this.#set(resource, 'refused')
        }
      } catch (error) {
        if (signal.aborted) return
        if (isUnauthorized(error)) return this.#end()
        if (isForbidden(error)) this.#set(resource, 'refused')
        else {
          this.#set(resource, 'unreachable')
          const isExpected = EXPECTED.some((kind) => error instanceof kind)
          if (!isExpected) logger.error({ error, resource }, 'a watch of a viewer failed')
        }
      }
      await pause(context, wait, signal)
    }
  }

  #rightTo({ group, resource, namespaced }: ResourceKind): WatchRight {
    const { viewer, namespace, context } = this.#options
    const right = { verb: 'watch', group, resource, namespace: namespaced ? namespace : '' }
    return new WatchRight((signal) => viewer.mayNow(right, signal), context)
  }

  /** Resolves when the watch has ended, or it is not known any more that the viewer may watch. */
  async #watchWhileAllowed(watched: WatchedKind, kind: ResourceKind, right: WatchRight): Promise<void> {
    const round = new AbortController()
    const signal = AbortSignal.any([this.#over.signal, round.signal])
    const watching = this.#watch(watched, kind, right, signal)
    const guarding = right.lost(signal).then((state) => this.#set(qualified(kind), state))
    try {
      await Promise.race([watching, guarding])
    } finally {
      round.abort()
      await Promise.allSettled([watching, guarding])
    }
  }

  async #watch(
    { fieldSelector }: WatchedKind,
    kind: ResourceKind,
    right: WatchRight,
    signal: AbortSignal,
  ): Promise<void> {
    const { viewer, namespace, context } = this.#options
    const resource = qualified(kind)
    const options = {
      signal,
      ...(kind.namespaced ? { namespace } : {}),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    }
    const { client } = viewer
    let resourceVersion = ''
    // A single object is read, for the version that the list has.
    for await (const page of client.listPages(kind, { ...options, pageSize: 1 })) {
      ;({ resourceVersion } = page)
      break
    }
    const opened = (): void => {
      if (!right.isFresh) return
      // Of what happened before nothing is known.
      this.#tell(({ changed }) => changed(resource, ''))
      this.#set(resource, 'watched')
    }
    let [since, changes] = [context.monotonic(), 0]
    for await (const event of client.watch(kind, { ...options, resourceVersion, metadataOnly: true, opened })) {
      if (!right.isFresh) return this.#set(resource, 'unreachable')
      if (event.type !== 'BOOKMARK') {
        const { namespace: changed = '' } = event.object.metadata
        this.#tell((listener) => listener.changed(resource, changed))
        const now = context.monotonic()
        if (now - since >= CHANGES_WITHIN_MS) [since, changes] = [now, 0]
        if (++changes >= MOST_CHANGES) return
      }
    }
  }

  #set(resource: string, state: WatchState): void {
    if (this.#states.get(resource) === state) return
    this.#states.set(resource, state)
    if (this.#isSettled) return this.#tell((listener) => listener.stateOf(resource, state))
    this.#isSettled = state === 'watched' || this.#states.size === this.#followed
    if (this.#isSettled) this.#tell((listener) => this.#tellStates(listener))
  }

  #tellStates(listener: FeedListener): void {
    for (const [resource, state] of this.#states) listener.stateOf(resource, state)
  }

  #end(): void {
    if (this.isOver) return
    this.stop()
    this.#tell((listener) => listener.ended())
  }

  #tell(say: (listener: FeedListener) => void): void {
    for (const listener of this.#listeners) say(listener)
  }
}
