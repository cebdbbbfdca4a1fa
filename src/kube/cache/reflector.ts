import { ApiError } from '../../machinery/status.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { Backoff } from '../time/backoff.ts'
import { type Clock, pause } from '../time/clock.ts'
import type { KubeClient, Listed, ResourceKind, WatchCallOptions, WatchEvent } from '../client/kube-client.ts'
import { linkedAbort } from '../time/linked-abort.ts'
import { isOlder } from '../../machinery/resource-version.ts'

/** The objects to watch. */
export interface WatchScope {
  readonly kind: ResourceKind
  /** '' or left out: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Events carry only the metadata of objects. */
  readonly metadataOnly?: boolean
}

/** Receives the state of the server. A call that throws is a bug: it ends the reflector. */
export interface ReflectorSink<O extends KubeObject> {
  listBegins(): void
  /** Every page of a list has the same version. A list that does not end is begun again. The next page waits for a promise. */
  page(page: Listed<O>): void | Promise<void>
  listEnds(): void
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: O): void
  /** Everything up to this version was reported: after a list, after each event, and at bookmarks. */
  reached?(version: string): void
  /** Watching begins to fail, fails again, or works again: see `Reflector.problem`. */
  problemChanged?(): void
  /** Gives the whole object of an event, before the event is reported; undefined where the object is gone. */
  completed?(object: O, signal: AbortSignal): Promise<O | undefined>
}

export interface ReflectorOptions<O extends KubeObject> {
  readonly client: KubeClient
  readonly scope: WatchScope
  readonly sink: ReflectorSink<O>
  readonly clock: Clock
  readonly logger: Logger
  readonly pageSize?: number
}

/** Lists and watches for a sink while it runs. */
export type WatchSource = Pick<
  Reflector<KubeObject>,
  'version' | 'problem' | 'silenceMs' | 'reached' | 'relist' | 'run'
>

/** A watch that lasted so long was a good one, even if nothing happened. */
const STEADY_MS = 1000
/** Servers send a bookmark every minute or so; from one that does, a longer silence means that nobody is there. */
const BOOKMARK_SILENCE_MS = 150_000
/** From others nothing can be concluded, so a silent watch is made anew from time to time; up to twice this. */
const SILENCE_MS = 300_000
/** How often to look how long it has been silent. */
const LOOK_MS = 15_000
/** So many failures in a row are reported; after so many a server that answers with refusals is listed again. */
const FAILURES_LOGGED = 3
const FAILURES_LIST = 5
/** Refusals of a watch that trying the same again does not cure: the version is too old, or means nothing there. */
const LIST_AGAIN = new Set([400, 404, 410, 422])
const GONE = 410
const FORBIDDEN = 403

/** An event, and the version up to which the watch has reported everything then. */
interface Completed<O extends KubeObject> {
  /** Undefined where it is not reported any more. */
  readonly event: WatchEvent<O> | undefined
  readonly version: string | undefined
}

/** The failure that ended a list or a watch early. */
class Failure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/**
 * Lists and then watches for as long as it runs, whatever fails meanwhile. The version that it resumes from is that of
 * the last event that was *applied*, or of a bookmark.
 */
export class Reflector<O extends KubeObject> {
  readonly #options: ReflectorOptions<O>
  #scope: WatchScope
  readonly #backoff: Backoff
  #version: string | undefined
  /** The newest that the server is known to have given. */
  #newest = ''
  #lastContact: number
  #problem: unknown
  /** Was the watch itself refused? Lists that succeed say nothing about that. */
  #isWatchDenied = false
  #listedJustNow = false
  #wholeLists = false
  /** Ends the list or the watch that is under way. */
  #current: AbortController | undefined
  #mustList = false

  constructor(options: ReflectorOptions<O>) {
    this.#options = options
    this.#scope = options.scope
    this.#backoff = new Backoff(options.clock.random)
    this.#lastContact = options.clock.monotonic()
  }

  /** Everything up to here has been applied; undefined while a list is needed. */
  get version(): string | undefined {
    return this.#version
  }

  /** The server has given this version in answer to a write. */
  reached(version: string): void {
    if (!isOlder(version, this.#newest)) this.#newest = version
  }

  /** Lists anew and then watches what is in this scope. */
  relist(scope: WatchScope): void {
    this.#scope = scope
    this.#mustList = true
    this.#current?.abort()
  }

  /** For how many milliseconds nothing has been heard from the server. */
  get silenceMs(): number {
    return this.#options.clock.monotonic() - this.#lastContact
  }

  /** Why it is not watching, if it is not. */
  get problem(): unknown {
    return this.#problem
  }

  /** Resolves when the signal has aborted; rejects only when the sink throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#mustList) this.#version = undefined
      this.#mustList = false
      using link = linkedAbort(signal)
      const { signal: current } = (this.#current = link.controller)
      const wait = this.#version === undefined ? await this.#list(current) : await this.#watch(current, this.#version)
      if (wait > 0) await pause(this.#options.clock, wait, current)
    }
  }

  /** Gives how long to wait before what comes next, in milliseconds. */
  async #list(signal: AbortSignal): Promise<number> {
    const { client, sink, pageSize } = this.#options
    const { kind, metadataOnly: _, ...selection } = this.#scope
    sink.listBegins()
    let version: string | undefined
    const size = this.#wholeLists ? 0 : pageSize
    const options = { ...selection, signal, ...(size === undefined ? {} : { pageSize: size }) }
    for await (const page of caught(client.listPages<O>(kind, options))) {
      if (signal.aborted) return 0
      if (page instanceof Failure) {
        // A client that is too slow for the snapshot of a paged list requests the whole list in one answer.
        this.#wholeLists = codeOf(page.error) === 410
        return this.#failed(page.error, 'list')
      }
      this.#heard('list')
      version = page.resourceVersion
      await sink.page(page)
      if (signal.aborted) return 0
    }
    if (signal.aborted) return 0
    if (version === undefined) return this.#failed(new Error('the list had no page'), 'list')
    sink.listEnds()
    this.#applied(version)
    this.#listedJustNow = true
    this.#wholeLists = false
    return 0
  }

  async #watch(signal: AbortSignal, from: string): Promise<number> {
    const { client, clock } = this.#options
    const { kind } = this.#scope
    const began = clock.monotonic()
    let limit = SILENCE_MS * (1 + clock.random())
    let last = began
    let heard = false
    using link = linkedAbort(signal)
    const cut = link.controller
    const isFresh = this.#listedJustNow
    const stream =
      isFresh && !isOlder(from, this.#newest)
        ? client.watch<O>(kind, this.#watchOptions(from, cut.signal))
        : this.#resumed(from, cut.signal)
    this.#listedJustNow = false
    void cutWhenSilent(clock, () => last + limit, cut)
    let failure: Failure | undefined
    for await (const completed of caught(this.#completed(stream, cut.signal))) {
      if (signal.aborted) return 0
      if (completed instanceof Failure) {
        failure = completed
        break
      }
      last = clock.monotonic()
      heard = true
      this.#heard('watch')
      if (completed.event?.type === 'BOOKMARK') limit = BOOKMARK_SILENCE_MS
      this.#apply(completed)
    }
    const silent = cut.signal.aborted
    cut.abort()
    if (signal.aborted) return 0
    const good = heard || clock.monotonic() - began >= STEADY_MS
    // A server that was away and forgot the version is back: it is listed at once, however long it was waited for.
    const isBack = !isFresh && codeOf(failure?.error) === GONE
    if (good || isBack) this.#backoff.succeeded()
    if (good && (failure === undefined || silent)) {
      this.#setProblem(undefined)
      return 0
    }
    return this.#failed(failure?.error ?? new Error('the watch ended as soon as it began'), 'watch')
  }

  /**
   * Goes on from an earlier version. A server that was restored from a backup may be behind it, and would then keep silent
   * until it has come so far again; so it is first asked where it is.
   */
  async *#resumed(from: string, signal: AbortSignal): AsyncGenerator<WatchEvent<O>> {
    const { client } = this.#options
    const { kind, namespace = '' } = this.#scope
    for await (const { resourceVersion } of client.listPages(kind, { namespace, pageSize: 1, signal })) {
      if (isOlder(resourceVersion, this.#newest)) throw new ServerWentBack(this.#newest, resourceVersion)
      break
    }
    yield* client.watch<O>(kind, this.#watchOptions(from, signal))
  }

  /** Where nothing happens, a watch is silent. So an earlier failure is over once the server has accepted the watch. */
  #watchOptions(from: string, signal: AbortSignal): WatchCallOptions {
    const { kind: _, ...selection } = this.#scope
    return { ...selection, resourceVersion: from, signal, opened: () => this.#heard('watch') }
  }

  /** The object that is read to complete an event may be newer than the event; the event has the version that the watch has reached. */
  async *#completed(stream: AsyncIterable<WatchEvent<O>>, signal: AbortSignal): AsyncGenerator<Completed<O>> {
    const { sink } = this.#options
    for await (const event of stream) {
      if (event.type === 'BOOKMARK') yield { event, version: event.resourceVersion }
      else {
        const version = event.object.metadata.resourceVersion
        const object =
          event.type === 'DELETED' || sink.completed === undefined
            ? event.object
            : await sink.completed(event.object, signal)
        yield { event: object === undefined ? undefined : { type: event.type, object }, version }
      }
    }
  }

  #apply({ event, version }: Completed<O>): void {
    if (event !== undefined && event.type !== 'BOOKMARK') this.#options.sink.event(event.type, event.object)
    if (version !== undefined) this.#applied(version)
  }

  #applied(version: string): void {
    this.#version = version
    this.reached(version)
    this.#options.sink.reached?.(version)
  }

  #heard(during: 'list' | 'watch'): void {
    this.#lastContact = this.#options.clock.monotonic()
    if (during === 'watch') this.#isWatchDenied = false
    if (!this.#isWatchDenied) this.#setProblem(undefined)
  }

  #setProblem(problem: unknown): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#options.sink.problemChanged?.()
  }

  #failed(error: unknown, during: 'list' | 'watch'): number {
    const { kind, namespace = '' } = this.#scope
    const wait = this.#backoff.next(retryAfterMs(error))
    const tries = this.#backoff.failures
    const code = codeOf(error)
    this.#isWatchDenied = during === 'watch' && code === FORBIDDEN
    this.#setProblem(error)
    if (code !== undefined) this.#lastContact = this.#options.clock.monotonic()
    if (error instanceof ServerWentBack) this.#newest = ''
    if (
      error instanceof ServerWentBack ||
      (code !== undefined && (LIST_AGAIN.has(code) || tries % FAILURES_LIST === 0))
    )
      this.#version = undefined
    const level = tries >= FAILURES_LOGGED ? 'warn' : 'debug'
    this.#options.logger[level](
      { group: kind.group, resource: kind.resource, namespace, during, tries, waitMs: Math.round(wait), error },
      'watching failed and is tried again',
    )
    return wait
  }
}

/** The server's newest version is older than one that it gave before. */
class ServerWentBack extends Error {
  constructor(known: string, now: string) {
    super(`the server is at version ${now} although it was at ${known} before: it was restored from a backup`)
    this.name = 'ServerWentBack'
  }
}

/** The items of a stream, and at the end the error that it failed with. An error of its reader is not mistaken for that. */
async function* caught<T>(stream: AsyncIterable<T>): AsyncGenerator<T | Failure> {
  try {
    yield* stream
  } catch (error) {
    yield new Failure(error)
  }
}

/** Aborts `cut` once the deadline, which may move, is past. Ends when `cut` is aborted. */
async function cutWhenSilent(clock: Clock, deadline: () => number, cut: AbortController): Promise<void> {
  while (!cut.signal.aborted) {
    const left = deadline() - clock.monotonic()
    if (left <= 0) return cut.abort(new Error('the watch was silent for too long'))
    await pause(clock, Math.min(left, LOOK_MS), cut.signal)
  }
}

const codeOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.status.code : undefined)

const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0
