import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { OperatorContext } from '../../operator/system.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { QuotaTracking } from './adapter.ts'
import type { KindCounts } from './count/kind-counts.ts'
import type { CountedQuota, Resolution } from './counted-quota.ts'
import { ASK_AGAIN_MS, ASK_SOON_MS, type FoundKind, type KindFinder, kindName, type NamedKind } from './kind-finder.ts'

export interface KindResolverOptions<T extends CountedQuota> {
  readonly logger: Pick<OperatorContext['logger'], 'warn'>
  readonly tracking: Pick<QuotaTracking<T>, 'problemOf' | 'partsOf' | 'mustWait' | 'found' | 'isSetAside'>
  readonly finder: KindFinder
  readonly kinds: KindCounts<T>
  /** The quota of a key as it is now. */
  readonly get: (key: string) => T | undefined
  /** Called when a quota is counted anew, or what is known of its kinds has changed. */
  readonly onChange: (key: string) => void
  /** Called when a kind begins or ends to be counted for a quota. */
  readonly onCounted: () => void
  /** Called when the kinds are known of a quota, after its targets are counted. */
  readonly onResolved: (tracked: T) => void
}

/** The answer of the API server about a kind. */
interface Asked<K extends NamedKind> {
  readonly found: FoundKind<K>
  /** Why the server did not answer this time. */
  readonly failure?: unknown
}

/** Finds the kinds of quotas on the API server, and has them counted from then on. */
export class KindResolver<T extends CountedQuota> {
  readonly #options: KindResolverOptions<T>
  readonly #queue: WorkQueue
  /** The quotas whose kinds were looked for before. */
  readonly #looked = new WeakSet<T>()
  /** The last answers of the API server, by `kindName`, that a resolution came from. */
  readonly #answers = new WeakMap<Resolution, ReadonlyMap<string, FoundKind<T['kinds'][number]>>>()

  constructor(options: KindResolverOptions<T>) {
    const { logger } = options
    this.#options = options
    this.#queue = new WorkQueue({
      workers: 4,
      work: (key, signal) => this.#resolve(key, signal),
      onError: (key, error) => logger.warn({ quota: key, error }, 'the kinds of a quota could not be found out'),
    })
  }

  /** Looks for the kinds of a quota, soon. */
  lookFor(key: string): void {
    this.#queue.add(key)
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  async #resolve(key: string, signal: AbortSignal): Promise<void> {
    const { tracking, finder, get, onChange, onResolved } = this.#options
    const isCurrent = (tracked: T): boolean => get(key) === tracked && tracking.isSetAside?.(tracked.quota) !== true
    const tracked = get(key)
    if (tracked === undefined || !isCurrent(tracked)) return
    const isAnew = !this.#looked.has(tracked)
    this.#looked.add(tracked)
    const asked = await Promise.all(tracked.kinds.map((kind) => this.#find(tracked, kind, { signal, isAnew })))
    const found = asked.map((one) => one.found)
    if (!isCurrent(tracked)) return
    if (tracking.mustWait?.(found) === true) return this.#queue.retryAfter(key, ASK_SOON_MS)
    const lacking = found.filter((one) => !isCountable(tracked, one.resource))
    if (lacking.length > 0) {
      const isComing = lacking.some(({ kind, resource }) => resource === undefined && finder.isDefined(kind))
      this.#queue.retryAfter(key, isComing ? ASK_SOON_MS : ASK_AGAIN_MS)
    }
    const problems = lacking.flatMap((one) => {
      const text = tracking.problemOf(tracked, one)
      return text === undefined ? [] : [{ kind: one.kind, text }]
    })
    tracking.found?.(tracked, found)
    tracked.resolution = { targets: this.#targets(tracked, found), problems }
    const answered = found.filter(({ error }) => error === undefined)
    this.#answers.set(tracked.resolution, new Map(answered.map((one) => [kindName(one.kind), one])))
    onChange(key)
    // The kinds that were found are asked about; the others are looked for again.
    const failed = asked.find(({ failure }) => failure !== undefined)
    if (failed !== undefined) throw failed.failure
    onResolved(tracked)
  }

  /** Asks the API server for a kind. Where that fails, its last answer counts, whether it serves the kind or not. */
  async #find(
    tracked: T,
    kind: T['kinds'][number],
    { signal, isAnew }: { readonly signal: AbortSignal; readonly isAnew: boolean },
  ): Promise<Asked<T['kinds'][number]>> {
    try {
      return { found: { kind, resource: await this.#options.finder.find(kind, signal, { isAnew }) } }
    } catch (error) {
      signal.throwIfAborted()
      const last = tracked.resolution && this.#answers.get(tracked.resolution)?.get(kindName(kind))
      return { found: last ?? { kind, resource: undefined, error }, failure: error }
    }
  }

  /** A resource that is already counted is not counted anew. A resource with several names is counted once. */
  #targets(tracked: T, found: readonly FoundKind<T['kinds'][number]>[]): Resolution['targets'] {
    const { tracking, kinds, onChange } = this.#options
    const before = tracked.resolution?.targets ?? []
    const servable = found.flatMap(({ kind, resource }) => (isCountable(tracked, resource) ? [{ kind, resource }] : []))
    this.drop(tracked, (resource) => !servable.some((one) => isSameResource(one.resource, resource)))
    const distinct = servable.filter(
      ({ resource }, at) => servable.findIndex((one) => isSameResource(one.resource, resource)) === at,
    )
    return distinct.flatMap(({ kind, resource }) => {
      const known = before.filter((one) => isSameResource(one.resource, resource))
      if (known.length > 0) return known.map((one) => ({ ...one, kind, resource }))
      this.#options.onCounted()
      const counts = kinds.add(tracked, resource, tracking.partsOf(tracked, resource), () => onChange(tracked.key))
      return counts.map((one) => ({ kind, resource, ...one }))
    })
  }

  /** Ends to count resources for a quota: all of them, or those that are chosen. */
  drop(tracked: T, isChosen: (resource: ServerResource) => boolean = () => true): void {
    const targets = tracked.resolution?.targets ?? []
    for (const resource of new Map(targets.map(({ counted, resource: of }) => [counted, of])).values()) {
      if (!isChosen(resource)) continue
      this.#options.kinds.drop(tracked, resource)
      this.#options.onCounted()
    }
  }
}

/** Reports whether a quota can count the objects of a resource. A namespaced quota counts no cluster-scoped objects. */
function isCountable({ countedIn }: CountedQuota, resource: ServerResource | undefined): resource is ServerResource {
  const { verbs = [], namespaced = false } = resource ?? {}
  return verbs.includes('list') && verbs.includes('watch') && (namespaced || countedIn === undefined)
}

const isSameResource = (a: ServerResource, b: ServerResource): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource && a.kind === b.kind
