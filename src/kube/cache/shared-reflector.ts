import type { KubeObject } from '../../machinery/object.ts'
import { compareVersions, isOlder } from '../../machinery/resource-version.ts'
import { Reflector, type ReflectorOptions, type ReflectorSink, type WatchScope, type WatchSource } from './reflector.ts'

/** Receives what is watched, each object as the server has it. */
export type WatchSink = Omit<ReflectorSink<KubeObject>, 'completed'>
type ReflectorContext = Pick<ReflectorOptions<KubeObject>, 'client' | 'clock' | 'logger'>

/**
 * One watch of a kind for several sinks, each of which gets what a reflector of its own would give it. A sink that comes later lists and
 * watches on its own until it is as far as the watch of the others. Then it goes on with theirs, and nobody waits for its list. A sink that
 * does not take all objects of the kind keeps a watch of its own.
 */
export class SharedReflector {
  readonly #context: ReflectorContext
  /** The watch that serves all sinks in the end. */
  #shared: OneWatch | undefined
  /** Those of sinks that are not as far yet, or do not take all objects. */
  readonly #others = new Set<OneWatch>()

  constructor({ client, clock, logger }: ReflectorContext) {
    this.#context = { client, clock, logger }
  }

  /** Lists and watches for a sink while that runs which this returns. */
  readonly follow = (scope: WatchScope, sink: WatchSink): WatchSource =>
    new Follower({ begin: (follower) => this.#begin(follower), end: (watch) => this.#end(watch) }, scope, sink)

  #begin({ scope }: Follower): OneWatch {
    const coming = [this.#shared, ...this.#others].find((one) => one?.hasBegun === false && isWhole(one.scope))
    if (coming !== undefined && isWhole(scope)) return coming
    const watch = new OneWatch(this.#context, scope, () => this.#reached(watch))
    if (this.#shared === undefined && isWhole(scope)) this.#shared = watch
    else this.#others.add(watch)
    return watch
  }

  #end(watch: OneWatch): void {
    this.#others.delete(watch)
    if (watch !== this.#shared) return
    this.#shared = this.#others.values().find(({ scope }) => isWhole(scope))
    if (this.#shared === undefined) return
    this.#others.delete(this.#shared)
    this.#reached(this.#shared)
  }

  #reached(watch: OneWatch): void {
    if (watch !== this.#shared) return this.#join(watch)
    for (const other of this.#others) this.#join(other)
  }

  /** Ends a watch that is at least as far as the shared one. Its sinks leave out the events that they had until here. */
  #join(watch: OneWatch): void {
    const { version } = watch.reflector
    const shared = this.#shared
    if (shared === undefined || !isWhole(watch.scope) || version === undefined) return
    const { version: there, problem } = shared.reflector
    // A watch that is broken now keeps nobody waiting but those that it serves already.
    if (problem !== undefined || there === undefined || (compareVersions(version, there) ?? -1) < 0) return
    this.#others.delete(watch)
    for (const follower of watch.followers) {
      follower.since = version
      follower.watch = shared
      shared.followers.add(follower)
      follower.sink.problemChanged?.()
    }
    watch.followers.clear()
    void watch.stop()
  }
}

const isWhole = ({
  namespace = '',
  labelSelector = '',
  fieldSelector = '',
  metadataOnly = false,
}: WatchScope): boolean => `${namespace}${labelSelector}${fieldSelector}` === '' && !metadataOnly

/** A running reflector with the sinks that it serves. */
class OneWatch {
  readonly scope: WatchScope
  readonly reflector: Reflector<KubeObject>
  readonly followers = new Set<Follower>()
  /** Has the first list begun? */
  hasBegun = false
  readonly #abort = new AbortController()
  readonly #running: Promise<void>

  /** `reached` is called when all sinks have got what there is up to the version of the reflector. */
  constructor(context: ReflectorContext, scope: WatchScope, reached: () => void) {
    this.scope = scope
    this.reflector = new Reflector({
      ...context,
      scope,
      sink: {
        listBegins: () => {
          for (const follower of this.followers) {
            follower.since = ''
            follower.sink.listBegins()
          }
        },
        page: async (page) => {
          await Promise.all([...this.followers].map(async ({ sink }) => await sink.page(page)))
        },
        listEnds: () => {
          for (const { sink } of this.followers) sink.listEnds()
        },
        event: (type, object) => {
          const { resourceVersion = '' } = object.metadata
          for (const follower of this.followers)
            if (!follower.hasGot(resourceVersion)) follower.sink.event(type, object)
        },
        reached: (version) => {
          for (const follower of this.followers) if (!follower.hasGot(version)) follower.sink.reached?.(version)
          reached()
        },
        problemChanged: () => {
          for (const { sink } of this.followers) sink.problemChanged?.()
        },
      },
    })
    this.#running = this.#run()
  }

  /** Resolves when nothing is under way any more. */
  stop(): Promise<void> {
    this.#abort.abort()
    return this.#running
  }

  async #run(): Promise<void> {
    // Sinks that come in this turn get the first list.
    await Promise.resolve()
    this.hasBegun = true
    try {
      await this.reflector.run(this.#abort.signal)
    } catch (error) {
      for (const { failed } of this.followers) failed(error)
    }
  }
}

interface Watches {
  /** Begins to list and watch what a follower takes. */
  readonly begin: (follower: Follower) => OneWatch
  /** Called with a watch that has no followers any more. */
  readonly end: (watch: OneWatch) => void
}

/** A sink, and the watch that serves it now. */
class Follower implements WatchSource {
  readonly sink: WatchSink
  scope: WatchScope
  watch: OneWatch | undefined
  /** Up to this version the sink has got everything, although its watch may not be so far; '' where it is just as far. */
  since = ''
  readonly #watches: Watches
  readonly #ended = Promise.withResolvers<void>()
  #newest = ''

  constructor(watches: Watches, scope: WatchScope, sink: WatchSink) {
    this.#watches = watches
    this.scope = scope
    this.sink = sink
  }

  get version(): string | undefined {
    const version = this.watch?.reflector.version
    return version !== undefined && this.since !== '' && isOlder(version, this.since) ? this.since : version
  }

  get problem(): unknown {
    return this.watch?.reflector.problem
  }

  get silenceMs(): number {
    return this.watch?.reflector.silenceMs ?? 0
  }

  reached(version: string): void {
    if (!isOlder(version, this.#newest)) this.#newest = version
    this.watch?.reflector.reached(version)
  }

  relist(scope: WatchScope): void {
    this.scope = scope
    if (this.watch === undefined) return
    void this.#leave()
    this.#begin()
  }

  run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    signal.addEventListener('abort', () => this.#ended.resolve(this.#leave()), { once: true })
    this.#begin()
    return this.#ended.promise
  }

  readonly failed = (error: unknown): void => this.#ended.reject(error)

  /** Has the sink got already what its watch reports at this version? */
  hasGot(version: string): boolean {
    if (this.since === '' || version === '') return false
    if (!isOlder(this.since, version)) return true
    this.since = ''
    return false
  }

  #begin(): void {
    this.since = ''
    const watch = this.#watches.begin(this)
    this.watch = watch
    watch.followers.add(this)
    if (this.#newest !== '') watch.reflector.reached(this.#newest)
  }

  /** Resolves when nothing is under way any more for this sink alone. */
  async #leave(): Promise<void> {
    const { watch } = this
    this.watch = undefined
    watch?.followers.delete(this)
    if (watch === undefined || watch.followers.size > 0) return
    this.#watches.end(watch)
    await watch.stop()
  }
}
