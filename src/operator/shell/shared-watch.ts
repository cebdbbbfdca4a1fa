import { parseLabelQuery } from '../../machinery/selector/label-query.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { KubeClient, ObjectName, ResourceKind } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { IndexFunctions } from '../../kube/cache/object-store.ts'
import type { StringPool } from '../../kube/cache/string-pool.ts'
import type { SharedReflector } from '../../kube/cache/shared-reflector.ts'
import { type ChangeHandler, WatchCache } from '../../kube/cache/watch-cache.ts'
import type { Logger } from '../../runtime/process/logger.ts'

/** The fields and indexes that one system needs of the objects of a kind. */
export interface CacheNeeds<T, I extends string = never> {
  readonly kind: ResourceKind
  /** Only these objects; left out: all. */
  readonly labelSelector?: string
  /** The fields that are kept of an object (`keepFields`), or anything made of them. As in `WatchCache`. */
  readonly keep: (object: KubeObject, share: StringPool, old: T | undefined) => T
  /** Under which keys a value is found with `by`. */
  readonly indexes?: IndexFunctions<NoInfer<T>, I>
  /** As in `WatchCache`: then only the metadata of objects is watched. */
  readonly ownWrite?: (name: ObjectName) => Promise<unknown> | undefined
}

/** The view of one system on a kind that is watched once for all systems. The functions are those of `WatchCache`. */
export interface CacheView<T, I extends string = never> {
  get(namespace: string, name: string): T | undefined
  list(namespace?: string): readonly T[]
  by(index: I, key: string): readonly T[]
  /** As in `WatchCache`, but that a change is reported only where it changes the fields kept for this system. */
  onChange(handler: ChangeHandler<T>): () => void
  observed(object: KubeObject, by?: string): void
  observeWrite<W extends KubeObject>(name: ObjectName, by: string, write: () => Promise<W>): Promise<W>
  whenSynced(): Promise<void>
  readonly synced: boolean
  readonly problem: unknown
  /** The version up to which everything is in the view; undefined while it is being listed. */
  readonly version: string | undefined
  /** Lists anew. Resolves when the list is in the view; rejects when the watch ends before. */
  refresh(): Promise<void>
  /** Ends the view. A kind that nobody looks at is watched no longer. */
  release(): void
}

/** The kept objects of one or several systems that need the same fields. */
interface Slot {
  readonly at: number
  readonly labelSelector: string
  readonly keep: CacheNeeds<unknown>['keep']
  readonly selects: (object: KubeObject) => boolean
  /** Resolves when it is filled. */
  filled: Promise<void>
  isFilled: boolean
  users: number
}

/** By the position of their slots; undefined where the object is not selected. */
type Kept = readonly unknown[]

export interface SharedWatchOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * One watch of a kind for all systems of the process. Each says what it needs; what several need alike is kept once. A system
 * that comes while the watch runs has all objects listed anew once, and the others go on with what they have.
 */
export class SharedWatch {
  readonly #cache: WatchCache<Kept, string>
  readonly #slots: Slot[] = []
  #isRunning = false
  #views = 0

  /** `shared`: the watch of those that follow the kind without a cache. */
  constructor(
    options: SharedWatchOptions,
    first: Pick<CacheNeeds<never>, 'kind' | 'labelSelector' | 'ownWrite'>,
    shared: SharedReflector,
  ) {
    const { kind, labelSelector = '', ownWrite } = first
    this.#cache = new WatchCache<Kept, string>({
      ...options,
      kind,
      ...(labelSelector === '' ? {} : { labelSelector }),
      ...(ownWrite === undefined ? { follow: shared.follow } : { ownWrite }),
      keep: (object, share, old) =>
        this.#slots.map((slot, at) =>
          slot.users > 0 && slot.selects(object) ? slot.keep(object, share, old?.[at]) : undefined,
        ),
    })
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#cache.start()
  }

  stop(): Promise<void> {
    return this.#cache.stop()
  }

  get isUsed(): boolean {
    return this.#slots.some(({ users }) => users > 0)
  }

  /** `ended` is called when the view is released. */
  view<T, I extends string>(needs: CacheNeeds<T, I>, ended: () => void): CacheView<T, I> {
    const cache = this.#cache
    const slot = this.#slotFor(needs as CacheNeeds<unknown>)
    const { at } = slot
    slot.users++
    const of = (kept: Kept | undefined): T | undefined => kept?.[at] as T | undefined
    const present = (all: readonly Kept[]): readonly T[] => all.map(of).filter((value) => value !== undefined)
    const id = this.#views++
    const indexes = Object.entries<(value: T) => readonly string[]>(needs.indexes ?? {})
    for (const [name, keysOf] of indexes)
      cache.addIndex(`${id}/${name}`, (kept) => {
        const value = of(kept)
        return value === undefined ? [] : keysOf(value)
      })
    const ends = new Set<() => void>()
    return {
      get: (namespace, name) => of(cache.get(namespace, name)),
      list: (namespace) => present(cache.list(namespace)),
      by: (index, key) => present(cache.by(`${id}/${index}`, key)),
      onChange: (handler) => {
        const end = cache.onChange((old, current, change) => {
          const [before, after] = [of(old), of(current)]
          if (before !== after) handler(before, after, change)
        })
        ends.add(end)
        return end
      },
      observed: (object, by) => cache.observed(object, by),
      observeWrite: (name, by, write) => cache.observeWrite(name, by, write),
      whenSynced: () => slot.filled,
      get synced() {
        return slot.isFilled
      },
      get problem() {
        return cache.problem
      },
      get version() {
        return slot.isFilled ? cache.version : undefined
      },
      refresh: () => cache.refresh(),
      release: () => {
        for (const end of ends) end()
        for (const [name] of indexes) cache.removeIndex(`${id}/${name}`)
        slot.users--
        ended()
      },
    }
  }

  #slotFor({ keep, labelSelector = '' }: CacheNeeds<unknown>): Slot {
    const known = this.#slots.find(
      (slot) => slot.keep === keep && slot.labelSelector === labelSelector && slot.users > 0,
    )
    if (known !== undefined) return known
    const query = parseLabelQuery(labelSelector)
    const slot: Slot = {
      at: this.#slots.length,
      keep,
      labelSelector,
      selects: ({ metadata }) => query.matches(metadata.labels ?? {}),
      filled: Promise.resolve(),
      isFilled: false,
      users: 0,
    }
    this.#slots.push(slot)
    slot.filled = this.#filling(slot).then(() => void (slot.isFilled = true))
    slot.filled.catch(() => {})
    return slot
  }

  /** A system that is added to a watch needs another list, of the fields that all systems need. */
  async #filling({ at, labelSelector }: Slot): Promise<void> {
    if (at === 0) return await this.#cache.whenSynced()
    const isSame = this.#slots.every(({ users, labelSelector: other }) => users === 0 || other === labelSelector)
    await this.#cache.relist(isSame && labelSelector !== '' ? { labelSelector } : {})
  }
}
