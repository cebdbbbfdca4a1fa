import { type KeptCrd, CRD_KIND, keepServedKinds } from '../../operator/cluster/kept-crd.ts'
import { ChangedKeys } from '../../operator/shell/changed-keys.ts'
import type { CacheView } from '../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../operator/system.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { QuotaTracking, TrackedQuotas } from './adapter.ts'
import { within } from './count/catch-up.ts'
import { KindCounts } from './count/kind-counts.ts'
import { type CountedQuota, generationOf } from './counted-quota.ts'
import { KindFinder } from './kind-finder.ts'
import { KindResolver } from './kind-resolver.ts'
import { quotaKey } from './replica/ledger-name.ts'
import { isMissed } from './replica/missed-generations.ts'

export interface QuotaTrackerOptions<T extends CountedQuota> {
  readonly context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>
  readonly tracking: QuotaTracking<T>
  /** Follows CRDs. A replica that may not need them is ready without them. */
  readonly areCrdsNeeded: boolean
}

/** How long a watch is waited for that is behind a quota. */
const WATCH_MS = 1_000

type GoneHandler<T> = (tracked: T) => void

interface Followed<T extends CountedQuota> {
  readonly resolver: KindResolver<T>
  readonly unfollow: readonly (() => void)[]
}

/**
 * All quotas of one system as this replica knows them: compiled, with their kinds found on the API server, and counted. Every
 * replica has one, whether it leads or not.
 */
export class QuotaTracker<T extends CountedQuota> implements TrackedQuotas<T> {
  readonly kinds: KindCounts<T>
  finder: KindFinder
  /** Counts how often quotas, or the kinds that they count, have changed. */
  changes = 0
  readonly #options: QuotaTrackerOptions<T>
  readonly #tracked = new Map<string, T>()
  readonly #inNamespace = new Map<string, Map<string, T>>()
  readonly #goneHandlers = new Set<GoneHandler<T>>()
  readonly #changed = new ChangedKeys()
  readonly #unresolved = new Set<T>()
  #followed: Followed<T> | undefined

  constructor(options: QuotaTrackerOptions<T>) {
    const { context, tracking } = options
    const { caches, client, clock } = context
    this.#options = options
    this.finder = new KindFinder(client, clock)
    this.kinds = new KindCounts<T>({
      client,
      clock,
      follow: (kind, sink) => caches.follow(kind, sink),
      measure: (object, resource) => tracking.measure(object, resource),
    })
  }

  /** Begins to follow quotas. */
  begin(): void {
    if (this.#followed !== undefined) return
    const { context, tracking, areCrdsNeeded } = this.#options
    const { caches, logger } = context
    const needed = { kind: CRD_KIND, keep: keepServedKinds }
    const crds: CacheView<KeptCrd> = areCrdsNeeded ? caches.view(needed) : caches.optionalView(needed)
    const resolver = new KindResolver<T>({
      logger,
      tracking,
      finder: this.finder,
      kinds: this.kinds,
      get: (key) => this.get(key),
      onChange: (key) => this.noteChange(key),
      onCounted: () => void this.changes++,
      onResolved: (tracked) => {
        this.#unresolved.delete(tracked)
        this.#dropReplaced(tracked)
      },
    })
    this.finder.follow(crds, (group) => {
      for (const { key, kinds } of this.#tracked.values())
        if (kinds.some((kind) => kind.group === group)) resolver.lookFor(key)
    })
    const unfollow: (() => void)[] = []
    this.#followed = { resolver, unfollow }
    tracking.begun?.(this)
    for (const [kind, quotas] of tracking.quotas)
      unfollow.push(
        quotas.onChange((old, current) => {
          if (current !== undefined) this.#track(keyOf(kind, current), current)
          else if (old !== undefined) this.#gone(keyOf(kind, old))
        }),
      )
  }

  /** Forgets all quotas and ends their watches. */
  async end(): Promise<void> {
    const followed = this.#followed
    if (followed === undefined) return
    const { context, tracking } = this.#options
    for (const end of followed.unfollow) end()
    for (const key of this.#tracked.keys()) this.#untrack(key)
    this.#followed = undefined
    this.finder.end()
    this.finder = new KindFinder(context.client, context.clock)
    await Promise.all([followed.resolver.stop(), tracking.ended?.(), this.kinds.stop()])
  }

  /** Whether it has begun to follow quotas. */
  get hasBegun(): boolean {
    return this.#followed !== undefined
  }

  /** Whether every quota is known. */
  get isSynced(): boolean {
    return this.hasBegun && this.#options.tracking.quotas.values().every(({ synced }) => synced)
  }

  get all(): Iterable<T> {
    return this.#tracked.values()
  }

  get(key: string): T | undefined {
    return this.#tracked.get(key)
  }

  /** The quotas of a namespace in the order of their names. */
  in(namespace: string): readonly T[] {
    const quotas = this.#inNamespace.get(namespace)
    return quotas === undefined ? [] : [...quotas.values()].toSorted((a, b) => (a.ref.name < b.ref.name ? -1 : 1))
  }

  /** The quotas whose kinds are being looked up on the API server. */
  get unresolved(): Iterable<T> {
    return this.#unresolved
  }

  /** Whether every change has been reported. */
  get isReported(): boolean {
    return this.#changed.isReported
  }

  /** Calls a handler, soon and not for each change alone, with the quotas that changed: their specs, counts or what is known of them. */
  onChange(handler: (key: string) => void): () => void {
    return this.#changed.onChange(handler, this.#tracked.keys())
  }

  /** Calls a handler with each quota that goes, at once. Another of its name may have come. */
  onGone(handler: GoneHandler<T>): () => void {
    this.#goneHandlers.add(handler)
    return () => void this.#goneHandlers.delete(handler)
  }

  /** Reports a change of a quota that only the caller knows. */
  noteChange(key: string): void {
    this.#changed.add(key)
  }

  /** Asks the API server again for the kinds of a quota. */
  lookAgain({ key, kinds }: T): void {
    for (const { group } of kinds) this.finder.forget(group)
    this.resolve(key)
  }

  /** Looks for the kinds of a quota. */
  resolve(key: string): void {
    this.#followed?.resolver.lookFor(key)
  }

  /** The view that shows a quota. */
  viewOf({ ref: { kind } }: Pick<T, 'ref'>): CacheView<T['quota']> {
    const view = this.#options.tracking.quotas.get(kind)
    if (view === undefined) throw new TypeError(`no view shows quotas of the kind ${kind}: the adapter has to list it`)
    return view
  }

  /** Takes a quota as it was just read or written. */
  observed(tracked: Pick<T, 'ref'>, quota: KubeObject): void {
    this.viewOf(tracked).observed(quota)
  }

  /**
   * Takes a quota as it was just read. Waits for the watch to bring the earlier specs. Specs that are still missing
   * then count as if they had widened the quota.
   */
  async observedLive(tracked: Pick<T, 'key' | 'ref'>, quota: KubeObject, signal: AbortSignal): Promise<void> {
    const { key } = tracked
    const generation = generationOf(quota)
    const isSeen = (): boolean => {
      const known = this.get(key)?.generation ?? generation
      // The watch may be ahead of what was read.
      return known >= generation || !isMissed(known, generation)
    }
    if (!isSeen()) await this.#until(isSeen, signal)
    this.observed(tracked, quota)
  }

  async #until(isSeen: () => boolean, signal: AbortSignal): Promise<void> {
    const seen = Promise.withResolvers<void>()
    const end = this.onChange(() => {
      if (isSeen()) seen.resolve()
    })
    try {
      await within(seen.promise, AbortSignal.any([signal, AbortSignal.timeout(WATCH_MS)]))
    } catch {
      signal.throwIfAborted()
    } finally {
      end()
    }
  }

  #track(key: string, quota: T['quota']): void {
    const { tracking } = this.#options
    if (tracking.isIgnored?.(quota) === true) return
    const found = this.#tracked.get(key)
    const known = found?.quota.metadata.uid === quota.metadata.uid ? found : undefined
    this.#changed.add(key)
    if (known !== undefined && tracking.countsAlike(known.quota, quota)) return this.#retrack(known, quota)
    if (known === undefined) this.#gone(key)
    const tracked = tracking.compile(quota)
    if (known !== undefined) this.#replace(known, tracked)
    this.#tracked.set(key, tracked)
    const { namespace, name } = tracked.ref
    const there = this.#inNamespace.get(namespace) ?? new Map<string, T>()
    this.#inNamespace.set(namespace, there.set(name, tracked))
    this.changes++
    tracking.added?.(tracked)
    if (this.#isSetAside(quota)) this.#drop(tracked)
    else this.#lookUp(tracked)
  }

  #isSetAside(quota: T['quota']): boolean {
    return this.#options.tracking.isSetAside?.(quota) === true
  }

  #lookUp(tracked: T): void {
    this.#unresolved.add(tracked)
    this.resolve(tracked.key)
  }

  /** Takes a newer state of a quota that counts as before. */
  #retrack(known: T, quota: T['quota']): void {
    const wasSetAside = this.#isSetAside(known.quota)
    this.#options.tracking.update(known, quota)
    known.took(quota)
    if (this.#isSetAside(quota)) this.#drop(known)
    else if (wasSetAside) this.#lookUp(known)
  }

  /** Kinds that both specs count stay watched, and the API server goes on to ask about them. */
  #replace(known: T, tracked: T): void {
    const { tracking } = this.#options
    tracked.hasHadLedger ||= known.hasHadLedger
    const isSeen = !isMissed(known.generation, tracked.generation)
    if (isSeen && tracking.countsNoMore?.(known.quota, tracked.quota) === true) tracked.widenedAt = known.widenedAt
    tracking.succeed?.(known, tracked)
    this.#dropReplaced(known)
    tracked.replaced = known
  }

  #dropReplaced(tracked: T): void {
    const { replaced } = tracked
    tracked.replaced = undefined
    if (replaced !== undefined) this.#drop(replaced as T)
  }

  #gone(key: string): void {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined) return
    this.#untrack(key)
    for (const handler of this.#goneHandlers) handler(tracked)
    this.#options.tracking.gone?.(tracked)
  }

  #untrack(key: string): void {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined) return
    this.#tracked.delete(key)
    const there = this.#inNamespace.get(tracked.ref.namespace)
    there?.delete(tracked.ref.name)
    if (there?.size === 0) this.#inNamespace.delete(tracked.ref.namespace)
    this.changes++
    this.#drop(tracked)
    this.#changed.add(key)
  }

  #drop(tracked: T): void {
    this.#unresolved.delete(tracked)
    this.#dropReplaced(tracked)
    this.#followed?.resolver.drop(tracked)
    tracked.resolution = undefined
    this.#options.tracking.dropped?.(tracked)
  }
}

const keyOf = (kind: string, { metadata }: KubeObject): string => quotaKey({ kind, metadata })
