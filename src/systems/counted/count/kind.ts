import type { KubeObject } from '../../../machinery/object.ts'
import { Backoff } from '../../../kube/time/backoff.ts'
import { type Clock, pause } from '../../../kube/time/clock.ts'
import type { KubeClient, Listed, ResourceKind } from '../../../kube/client/kube-client.ts'
import type { WatchSource } from '../../../kube/cache/reflector.ts'
import type { WatchSink } from '../../../kube/cache/shared-reflector.ts'
import { ServerUnreachable } from '../../../kube/transport/server-unreachable.ts'
import { isOlder } from '../../../machinery/resource-version.ts'
import { TimeSlice } from '../../../runtime/tasks/time-slice.ts'
import { CountedObjects, type ObjectCost, type Sighting } from './objects.ts'
import { ListedSizes } from './listed-sizes.ts'
import type { QuotaCount } from './quota-count.ts'
import { VersionWaits } from './version-waits.ts'

export interface CountedKindOptions {
  readonly client: Pick<KubeClient, 'listPages'>
  readonly clock: Clock
  readonly kind: ResourceKind
  /** Lists and watches the kind: one watch serves all that follow it. */
  readonly follow: (kind: ResourceKind, sink: WatchSink) => WatchSource
  /** Returns the cost of an object for each quota that counts it now. It must not throw. */
  readonly measure: (object: KubeObject) => readonly ObjectCost[]
  /** Of so many objects that are gone or cost nothing the last state is remembered at least. */
  readonly remembered?: number
}

/** All namespaces, as a place to list. */
const EVERYWHERE = ''
/** Where more namespaces than these wait for a list, one list of everything serves them all. */
const MOST_LISTS = 8

/** A list while its pages come. */
interface Intake {
  readonly sightings: Sighting[]
  /**
   * The versions of all objects by namespace and name, counted or not. A later quota with a list of its own may count
   * others.
   */
  readonly versions: Map<string, Map<string, string>>
  /** The uids of objects that went since it began. */
  readonly gone: Set<string>
  /** The counts that are complete when it ends. */
  readonly completes: readonly QuotaCount[]
  /** The version of the server that was known when it began. */
  readonly after: string
}

/**
 * Counts the objects of one kind for all quotas that name it, from one watch. A quota that comes later has its objects listed
 * beside the watch, and the counts of the others go on undisturbed. Quotas that come together share a list.
 */
export class CountedKind {
  readonly #options: CountedKindOptions
  readonly #reflector: WatchSource
  readonly #abort = new AbortController()
  readonly #waits = new VersionWaits()
  #objects: CountedObjects
  readonly #counts = new Set<QuotaCount>()
  /** The sizes of lists. */
  readonly sizes = new ListedSizes()
  /** Where the objects are known up to a newer version than the watch has come to, by a list of one namespace. */
  readonly #ahead = new Map<string, string>()
  readonly #wanted = new Map<string, PromiseWithResolvers<void>>()
  #version = ''
  /** The list of the watch, while it comes. */
  #intake: Intake | undefined
  /** A list beside it. */
  #beside: Intake | undefined
  /** How often the watch has begun with a list, and the version of the last one. */
  #listed = { times: 0, version: '' }
  #listProblem: unknown
  /** The problem that the counts were last notified of, or could have been. */
  #knownProblem = String(undefined)
  #running: Promise<unknown> = Promise.resolve()
  #listing: Promise<void> | undefined
  #isSweeping = false

  constructor(options: CountedKindOptions) {
    const { follow, kind } = options
    this.#options = options
    this.#objects = new CountedObjects(options.remembered)
    this.#reflector = follow(kind, {
      listBegins: () => void (this.#intake = this.#begin(this.#counts)),
      page: (page) => this.#page(this.#intake, page),
      listEnds: () => undefined,
      event: (type, object) => this.#event(type, object),
      reached: (version) => this.#reached(version),
      problemChanged: () => this.#problemChanged(),
    })
  }

  get kind(): ResourceKind {
    return this.#options.kind
  }

  /** The counted objects. They are replaced after a server was restored from a backup. */
  get objects(): CountedObjects {
    return this.#objects
  }

  /** Why the counts are not being kept up to date now, if they are not. */
  get problem(): unknown {
    return this.#reflector.problem ?? this.#listProblem
  }

  /** Whether objects are counted for any quota. */
  get isUsed(): boolean {
    return this.#counts.size > 0
  }

  /** Counts for a quota from now on; its `countedAt` is set once all objects are counted. */
  add(count: QuotaCount): void {
    this.#counts.add(count)
    if (this.#intake !== undefined || this.#version !== '') void this.list(count.namespace).catch(() => undefined)
  }

  /** Ends to count for a quota. */
  drop(count: QuotaCount): void {
    count.isDropped = true
    if (!this.#counts.delete(count) || this.#isSweeping) return
    this.#isSweeping = true
    setImmediate(() => {
      this.#isSweeping = false
      this.#objects.sweep()
    })
  }

  start(): void {
    this.#running = this.#reflector.run(this.#abort.signal)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    this.#failWanted()
    this.#waits.fail(this.#stopped)
    await Promise.all([this.#running, this.#listing])
  }

  get #stopped(): Error {
    return new Error(`${this.kind.resource} are no longer counted`)
  }

  #failWanted(): void {
    for (const { reject } of this.#wanted.values()) reject(this.#stopped)
    this.#wanted.clear()
  }

  /** The version up to which the counts of a namespace, or of all, contain everything; '' before the first list. */
  versionOf(namespace = EVERYWHERE): string {
    return newer(this.#version, this.#ahead.get(namespace) ?? '')
  }

  /** The largest version that anything is counted of. */
  get newest(): string {
    return [...this.#ahead.values()].reduce(newer, this.#version)
  }

  /** Resolves once the counts contain everything up to a version. Rejects with the signal's reason, or when counting ends. */
  whenReached(version: string, namespace: string | undefined, signal: AbortSignal): Promise<void> {
    return this.#waits.wait(
      () => !isOlder(this.versionOf(namespace), version) && this.versionOf(namespace) !== '',
      signal,
    )
  }

  /** Resolves once a list that begins after this call is counted: of one namespace, or of all. Rejects when counting ends. */
  list(namespace = EVERYWHERE): Promise<void> {
    const wanted = this.#wanted.get(namespace) ?? Promise.withResolvers<void>()
    this.#wanted.set(namespace, wanted)
    this.#beginLists()
    return wanted.promise
  }

  #beginLists(): void {
    if (this.#wanted.size === 0) return
    this.#listing ??= this.#lists().finally(() => {
      this.#listing = undefined
      // Wanted since the last look.
      this.#beginLists()
    })
  }

  /** Lists until nothing more is wanted. Never rejects. */
  async #lists(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#abort
    const backoff = new Backoff(clock.random)
    // Callers in the same turn share the list.
    await Promise.resolve()
    while (this.#wanted.size > 0 && !signal.aborted) {
      const wanted = [...this.#wanted]
      const places = wanted.map(([namespace]) => namespace)
      const isWhole = places.includes(EVERYWHERE) || places.length > MOST_LISTS
      this.#wanted.clear()
      try {
        for (const place of isWhole ? [EVERYWHERE] : places) await this.#listOf(place, signal)
        this.#setListProblem(undefined)
        for (const [, { resolve }] of wanted) resolve()
        backoff.succeeded()
      } catch (error) {
        this.#setListProblem(error)
        for (const [namespace, one] of wanted) {
          const later = this.#wanted.get(namespace)
          if (later === undefined) this.#wanted.set(namespace, one)
          else later.promise.then(one.resolve, one.reject)
        }
        await pause(clock, backoff.next(0), signal)
      }
    }
    // Rejects lists that ran when counting ended, and lists that were requested later.
    this.#failWanted()
  }

  async #listOf(namespace: string, signal: AbortSignal): Promise<void> {
    const { client, kind } = this.#options
    const where = namespace === EVERYWHERE ? {} : { namespace }
    for (;;) {
      const counts = [...this.#counts].filter((count) => namespace === EVERYWHERE || count.namespace === namespace)
      const intake = this.#begin(counts)
      const { times } = this.#listed
      let version = ''
      this.#beside = intake
      try {
        for await (const page of client.listPages<KubeObject>(kind, { ...where, signal })) {
          await this.#page(intake, page)
          version = page.resourceVersion
        }
      } finally {
        this.#beside = undefined
      }
      // The watch has begun again with a newer list: nobody learns any more what went between the two.
      if (this.#listed.times > times && isOlder(version, this.#listed.version)) continue
      this.#end(intake, version, namespace)
      return
    }
  }

  #begin(counts: Iterable<QuotaCount>): Intake {
    return { sightings: [], versions: new Map(), gone: new Set(), completes: [...counts], after: this.#version }
  }

  /** Objects may be dear to measure, and requests wait meanwhile. */
  async #page(intake: Intake | undefined, { items }: Listed<KubeObject>): Promise<void> {
    const slice = new TimeSlice()
    for (const item of items) {
      const turn = slice.next()
      if (turn !== undefined) await turn
      const sighting = this.#sight(item)
      const { costs, namespace, name, version } = sighting
      const versions = intake?.versions.get(namespace)
      if (versions === undefined) intake?.versions.set(namespace, new Map([[name, version]]))
      else versions.set(name, version)
      if (costs.length > 0 || this.#objects.get(namespace, name) !== undefined) intake?.sightings.push(sighting)
    }
  }

  #end({ sightings, versions, gone, completes, after }: Intake, version: string, namespace = EVERYWHERE): void {
    const sizes = new Map(versions.entries().map(([of, there]) => [of, there.size]))
    this.sizes.listed(sizes, namespace === EVERYWHERE ? undefined : namespace)
    if (namespace === EVERYWHERE && isOlder(version, after)) this.#forgetAll()
    const present = sightings.values().filter(({ uid }) => !gone.has(uid))
    this.#objects.takeList({ sightings: present, versions, version }, namespace === EVERYWHERE ? undefined : namespace)
    for (const count of completes) {
      count.countedAt = version
      count.changed()
    }
    if (namespace === EVERYWHERE) this.#advance(version)
    else if (isOlder(this.versionOf(namespace), version)) this.#ahead.set(namespace, version)
    this.#waits.look()
  }

  /** The server was restored from a backup: what was counted is of a future that did not come. */
  #forgetAll(): void {
    for (const [namespace, name, { uid, version }] of this.#objects.entries())
      this.#objects.remove(namespace, name, uid, version)
    this.#objects = new CountedObjects(this.#options.remembered)
    this.#ahead.clear()
    this.#version = ''
  }

  #event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata
    if (type !== 'MODIFIED') this.sizes.change(namespace, type === 'ADDED' ? 1 : -1)
    if (type === 'DELETED') {
      for (const intake of [this.#intake, this.#beside]) intake?.gone.add(uid)
      return this.#objects.remove(namespace, name, uid, resourceVersion)
    }
    // A list of this or a newer state was counted: the object may be gone since. An older list can have brought an older state afterwards.
    const known = this.#objects.get(namespace, name)
    const isOutdated = known?.uid === uid && isOlder(known.version, resourceVersion)
    if (isOutdated || isOlder(this.versionOf(namespace), resourceVersion)) this.#objects.put(this.#sight(object))
  }

  /** After a list, an event or a bookmark of the watch. */
  #reached(version: string): void {
    const intake = this.#intake
    this.#intake = undefined
    if (intake !== undefined) {
      this.#listed = { times: this.#listed.times + 1, version }
      this.#end(intake, version)
    }
    this.#advance(version)
    this.#waits.look()
  }

  #advance(version: string): void {
    this.#version = newer(this.#version, version)
    for (const [namespace, ahead] of this.#ahead) if (!isOlder(this.#version, ahead)) this.#ahead.delete(namespace)
  }

  #setListProblem(problem: unknown): void {
    this.#listProblem = problem
    this.#problemChanged()
  }

  /**
   * A failure of a list or a watch, and its end, show in the quotas, to which nothing else may happen meanwhile. A server that cannot
   * be reached stores nothing either, so of that only the end is reported.
   */
  #problemChanged(): void {
    const { problem } = this
    const text = String(problem)
    if (text === this.#knownProblem) return
    this.#knownProblem = text
    if (problem instanceof ServerUnreachable) return
    for (const count of this.#counts) count.changed()
  }

  #sight(object: KubeObject): Sighting {
    const { namespace = '', name = '', uid = '', resourceVersion: version = '' } = object.metadata
    return { namespace, name, uid, version, costs: this.#options.measure(object) }
  }
}

const newer = (a: string, b: string): string => (a === '' || isOlder(a, b) ? b : a)
