import type { WatchSource } from '../../kube/cache/reflector.ts'
import { SharedReflector, type WatchSink } from '../../kube/cache/shared-reflector.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { type CacheNeeds, type CacheView, SharedWatch, type SharedWatchOptions } from './shared-watch.ts'

/** The caches of all systems of the process: every kind is watched once, however many systems need it. */
export class SharedCaches {
  readonly #options: SharedWatchOptions
  readonly #watches = new Map<string, SharedWatch>()
  /** One for each kind that was ever followed. */
  readonly #reflectors = new Map<string, SharedReflector>()
  readonly #stopping = new Set<Promise<void>>()
  #isStarted = false

  constructor(options: SharedWatchOptions) {
    this.#options = options
  }

  /** A view of a kind. It may be asked for before the start and at any time after it. */
  view<T, I extends string = never>(needs: CacheNeeds<T, I>): CacheView<T, I> {
    const key = keyOf(needs.kind)
    const watch = this.#watches.get(key) ?? new SharedWatch(this.#options, needs, this.#reflector(key))
    this.#watches.set(key, watch)
    const view = watch.view(needs, () => this.#released(key, watch))
    if (this.#isStarted) watch.start()
    return view
  }

  /** Lists and watches all objects of a kind for a sink. The sink and the views share one watch. */
  follow(kind: ResourceKind, sink: WatchSink): WatchSource {
    return this.#reflector(keyOf(kind)).follow({ kind }, sink)
  }

  /** Begins to list and watch. */
  start(): void {
    this.#isStarted = true
    for (const watch of this.#watches.values()) watch.start()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stopping, ...[...this.#watches.values()].map((watch) => watch.stop())])
  }

  #reflector(key: string): SharedReflector {
    const reflector = this.#reflectors.get(key) ?? new SharedReflector(this.#options)
    this.#reflectors.set(key, reflector)
    return reflector
  }

  #released(key: string, watch: SharedWatch): void {
    if (watch.isUsed || this.#watches.get(key) !== watch) return
    this.#watches.delete(key)
    const stopping = watch.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }
}

const keyOf = ({ group, version, resource }: ResourceKind): string => `${group}/${version}/${resource}`

/** The caches of one system among those of all. */
export class SystemCaches {
  readonly #shared: SharedCaches
  readonly #views: Pick<CacheView<unknown>, 'synced' | 'problem' | 'whenSynced'>[] = []

  constructor(shared: SharedCaches) {
    this.#shared = shared
  }

  /** A view without which the system does not decide; `SharedCaches.view`. */
  view<T, I extends string = never>(needs: CacheNeeds<T, I>): CacheView<T, I> {
    const view = this.#shared.view(needs)
    this.#views.push(view)
    return view
  }

  /** A view of a kind that may come and go. It keeps nobody from getting ready. */
  optionalView<T, I extends string = never>(needs: CacheNeeds<T, I>): CacheView<T, I> {
    return this.#shared.view(needs)
  }

  /** Follows a kind that may come and go, without a cache; `SharedCaches.follow`. */
  follow(kind: ResourceKind, sink: WatchSink): WatchSource {
    return this.#shared.follow(kind, sink)
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#views.map((view) => view.whenSynced()))
  }

  /** Why they are not all kept up to date now, if so. */
  problem(): string | undefined {
    if (!this.#views.every(({ synced }) => synced)) return 'the caches have not been filled yet'
    return this.#views.some(({ problem }) => problem !== undefined) ? 'the API server does not answer' : undefined
  }
}
