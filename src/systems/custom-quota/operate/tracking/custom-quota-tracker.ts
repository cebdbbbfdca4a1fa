import { customQuota } from '../../api/custom-quota.ts'
import { globalCustomQuota } from '../../api/global-custom-quota.ts'
import { compileQuota, type QuotaCompileOptions } from '../../decide/compile-quota.ts'
import { countsIn } from '../../decide/object-cost.ts'
import { notNamespacedText, unservedText } from '../../decide/quota-status.ts'
import { countsAlike, countsNoMore } from '../../decide/spec-changes.ts'
import { uncountedText } from '../../decide/custom-quota-refusal.ts'
import { kindText, type SourceKind } from '../../decide/source-kind.ts'
import { jsonEqual } from '../../../../machinery/json-value.ts'
import { keepEqual } from '../../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import type { StringPool } from '../../../../kube/cache/string-pool.ts'
import { slimObject } from '../../../../kube/cache/trim-object.ts'
import { WorkQueue } from '../../../../runtime/tasks/work-queue.ts'
import { keepNamespace, type KeptNamespace, NAMESPACES } from '../../../../operator/cluster/keep-namespace.ts'
import { quotaKey } from '../../../counted/replica/ledger-name.ts'
import { ChangedKeys } from '../../../../operator/shell/changed-keys.ts'
import { isMissed } from '../../../counted/replica/missed-generations.ts'
import { ServedKinds } from '../../../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { keepServedKinds, type KeptCrd, CRD_KIND } from '../../../../operator/cluster/kept-crd.ts'
import { isSetAside } from '../quota-bound.ts'
import { KindCounts } from './kind-counts.ts'
import { UnservedKinds } from './unserved-kinds.ts'
import { type AnyQuota, type Resolution, TrackedQuota } from './tracked-custom-quota.ts'

/** How long to wait before the API server is asked again for a kind that it does not serve: not every kind has a CRD. */
const ASK_AGAIN_MS = 15_000
/** … and where its CRD says that it is served: API servers need a moment longer to offer it. */
const ASK_SOON_MS = 500
const UNKNOWN = 'the API server does not say what it serves'
/** So long discovery may list a kind whose CRD is gone. */
const STALE_MS = 10_000

/** The answer of the API server about a kind. */
interface FoundKind {
  readonly kind: SourceKind
  /** Undefined where the kind is not served, or nobody knows. */
  readonly resource: ServerResource | undefined
  /** Why nobody knows. */
  readonly error?: unknown
}

/**
 * All custom quotas as this replica knows them: compiled, with their kinds found on the API server, and counted. Every replica
 * has one, whether it leads or not.
 */
export class CustomQuotaTracker {
  readonly customQuotas: CacheView<AnyQuota>
  readonly globalQuotas: CacheView<AnyQuota>
  readonly namespaces: CacheView<KeptNamespace>
  readonly crds: CacheView<KeptCrd>
  readonly kinds: KindCounts
  readonly unserved: UnservedKinds
  readonly served: ServedKinds
  readonly #compile: QuotaCompileOptions
  readonly #tracked = new Map<string, TrackedQuota>()
  readonly #changed = new ChangedKeys()
  readonly #unresolved = new Set<TrackedQuota>()
  /** When the CRDs of kinds went, in milliseconds of the monotonic clock. */
  readonly #removed = new Map<string, number>()
  readonly #clock: OperatorContext['clock']
  readonly #queue: WorkQueue

  constructor({ caches, client, clock, logger }: OperatorContext, compile: QuotaCompileOptions) {
    this.#compile = compile
    this.#clock = clock
    this.served = new ServedKinds(client)
    this.kinds = new KindCounts({
      client,
      clock,
      follow: (kind, sink) => caches.follow(kind, sink),
      problemText: (error, object) => uncountedText(object, error),
    })
    this.#queue = new WorkQueue({
      workers: 4,
      work: (key, signal) => this.#resolve(key, signal),
      onError: (key, error) => logger.warn({ quota: key, error }, 'the kinds of a quota could not be found out'),
    })
    const keep =
      (read: (object: KubeObject) => AnyQuota) =>
      (object: KubeObject, share: StringPool, old: AnyQuota | undefined): AnyQuota =>
        keepEqual(read(slimObject(object, share)), old)
    this.customQuotas = caches.view({ kind: customQuota, keep: keep(customQuota.read) })
    this.globalQuotas = caches.view({ kind: globalCustomQuota, keep: keep(globalCustomQuota.read) })
    this.namespaces = caches.view<KeptNamespace>({ kind: NAMESPACES, keep: keepNamespace })
    this.crds = caches.view<KeptCrd>({ kind: CRD_KIND, keep: keepServedKinds })
    for (const view of [this.customQuotas, this.globalQuotas])
      view.onChange((old, current) => {
        if (current !== undefined) this.#track(current)
        else if (old !== undefined) this.#untrack(quotaKey(old))
      })
    this.namespaces.onChange((old, current) => this.#namespaceChanged(old, current))
    this.unserved = new UnservedKinds((kind) => this.#crdOf(kind))
    this.crds.onChange((old, current) => this.#crdChanged(old, current))
  }

  /** Every quota. */
  get all(): Iterable<TrackedQuota> {
    return this.#tracked.values()
  }

  get(key: string): TrackedQuota | undefined {
    return this.#tracked.get(key)
  }

  /** Those whose kinds the API server is being asked for. */
  get unresolved(): Iterable<TrackedQuota> {
    return this.#unresolved
  }

  /** Has every change been reported? */
  get isReported(): boolean {
    return this.#changed.isReported
  }

  /** Calls a handler, soon and not for each change alone, with the quotas that changed: their specs, counts or what is known of them. */
  onChange(handler: (key: string) => void): () => void {
    return this.#changed.onChange(handler, this.#tracked.keys())
  }

  async stop(): Promise<void> {
    await Promise.all([this.#queue.stop(), this.kinds.stop()])
  }

  #track(quota: AnyQuota): void {
    const key = quotaKey(quota)
    const found = this.#tracked.get(key)
    const known = found?.quota.metadata.uid === quota.metadata.uid ? found : undefined
    this.#changed.add(key)
    if (known !== undefined && countsAlike(known.quota.spec, quota.spec)) return this.#retrack(known, quota)
    if (known === undefined) this.#untrack(key)
    const tracked = new TrackedQuota(quota, compileQuota(quota.spec, this.#compile))
    if (known !== undefined) this.#replace(known, tracked)
    this.#tracked.set(key, tracked)
    for (const namespace of this.namespaces.list()) selectNamespace(tracked, namespace)
    if (isSetAside(quota)) this.#drop(tracked)
    else this.#lookUp(tracked)
  }

  #lookUp(tracked: TrackedQuota): void {
    this.#unresolved.add(tracked)
    this.#queue.add(tracked.key)
  }

  /** Takes a newer state of a quota that counts as before. */
  #retrack(known: TrackedQuota, quota: AnyQuota): void {
    if (!jsonEqual(known.quota.spec, quota.spec)) known.compilation = compileQuota(quota.spec, this.#compile)
    const wasSetAside = isSetAside(known.quota)
    const before = known.generation
    known.quota = quota
    if (isMissed(before, known.generation)) known.widenedAt = known.generation
    if (isSetAside(quota)) this.#drop(known)
    else if (wasSetAside) this.#lookUp(known)
  }

  /** Kinds that both specs count stay watched, and the API server goes on to ask about them. */
  #replace(known: TrackedQuota, tracked: TrackedQuota): void {
    const isNoMore =
      !isMissed(known.generation, tracked.generation) && countsNoMore(known.quota.spec, tracked.quota.spec)
    if (isNoMore) tracked.widenedAt = known.widenedAt
    this.#dropReplaced(known)
    tracked.replaced = known
  }

  #dropReplaced(tracked: TrackedQuota): void {
    if (tracked.replaced !== undefined) this.#drop(tracked.replaced)
    tracked.replaced = undefined
  }

  #untrack(key: string): void {
    const known = this.#tracked.get(key)
    if (known === undefined) return
    this.#tracked.delete(key)
    this.#drop(known)
    this.#changed.add(key)
  }

  #drop(tracked: TrackedQuota): void {
    this.#unresolved.delete(tracked)
    this.#dropReplaced(tracked)
    for (const { resource } of tracked.resolution?.targets ?? []) this.kinds.drop(tracked, resource)
    tracked.resolution = undefined
    if (this.unserved.set(tracked, [])) this.kinds.changes++
  }

  /** Finds the kinds of a quota on the API server, and counts them from then on. */
  async #resolve(key: string, signal: AbortSignal): Promise<void> {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined || isSetAside(tracked.quota)) return
    const found = await Promise.all(tracked.kinds.map((kind) => this.#lookFor(tracked, kind, signal)))
    if (this.#tracked.get(key) !== tracked || isSetAside(tracked.quota)) return
    const problems = found.flatMap(({ kind, resource, error }) => {
      const isUnknown = resource === undefined && error !== undefined
      const text = isUnknown ? unservedText(kind, UNKNOWN) : problemOf(tracked, kind, resource)
      return text === undefined ? [] : [{ kind, text }]
    })
    const servable = found.flatMap(({ kind, resource }) =>
      resource === undefined || problemOf(tracked, kind, resource) !== undefined ? [] : [{ kind, resource }],
    )
    if (problems.length > 0) {
      const isComing = found.some(({ kind, resource }) => resource === undefined && this.#isDefined(kind))
      this.#queue.addAfter(key, isComing ? ASK_SOON_MS : ASK_AGAIN_MS)
    }
    for (const { kind, resource } of servable) this.unserved.note(tracked, kind, resource)
    const unserved = found.flatMap(({ kind, resource, error }) =>
      resource === undefined && error === undefined ? [kind] : [],
    )
    if (this.unserved.set(tracked, unserved)) this.kinds.changes++
    tracked.resolution = this.#targets(tracked, servable, problems)
    this.#changed.add(key)
    // The kinds that were found are asked about; the others are looked for again.
    const failed = found.find(({ error }) => error !== undefined)
    if (failed !== undefined) throw failed.error
    this.#unresolved.delete(tracked)
    this.#dropReplaced(tracked)
  }

  /** Asks the API server for a kind. One that is counted by now goes on to be where that fails. */
  async #lookFor(tracked: TrackedQuota, kind: SourceKind, signal: AbortSignal): Promise<FoundKind> {
    try {
      const resource = await this.served.find(kind, { signal })
      return { kind, resource: this.#isWithdrawn(kind) ? undefined : resource }
    } catch (error) {
      signal.throwIfAborted()
      const known = tracked.resolution?.targets.find((one) => kindText(one.kind) === kindText(kind))
      return { kind, resource: known?.resource, error }
    }
  }

  #crdOf({ group, kind }: SourceKind): KeptCrd | undefined {
    return this.crds.list().find((one) => one.group === group && one.kind === kind)
  }

  #isDefined(kind: SourceKind): boolean {
    const crd = this.#crdOf(kind)
    return crd?.established === true && isServedBy(crd, kind)
  }

  /** Does the API server cease to serve the kind? Its discovery may list the kind for a moment longer. */
  #isWithdrawn(kind: SourceKind): boolean {
    const crd = this.#crdOf(kind)
    if (crd !== undefined) return !isServedBy(crd, kind)
    const name = kindText({ ...kind, version: '' })
    const removedAt = this.#removed.get(name)
    if (removedAt === undefined) return false
    if (this.#clock.monotonic() - removedAt > STALE_MS) {
      this.#removed.delete(name)
      return false
    }
    // An aggregated API server may serve the kind: it is asked the next time.
    this.served.forget(kind.group)
    return true
  }

  /** A kind that is counted already goes on as it is. */
  #targets(
    tracked: TrackedQuota,
    servable: readonly { readonly kind: SourceKind; readonly resource: ServerResource }[],
    problems: Resolution['problems'],
  ): Resolution {
    const before = tracked.resolution?.targets ?? []
    for (const { resource } of before)
      if (!servable.some((one) => isSameResource(one.resource, resource))) this.kinds.drop(tracked, resource)
    const targets = servable.map(({ kind, resource }) => {
      const known = before.find((one) => isSameResource(one.resource, resource))
      if (known !== undefined) return { ...known, resource }
      return { kind, resource, ...this.kinds.add(tracked, resource, () => this.#changed.add(tracked.key)) }
    })
    return { targets, problems }
  }

  #namespaceChanged(old: KeptNamespace | undefined, current: KeptNamespace | undefined): void {
    for (const tracked of this.#tracked.values()) {
      const isChanged =
        current === undefined ? tracked.select(old?.name ?? '', false) : selectNamespace(tracked, current)
      if (isChanged) this.#changed.add(tracked.key)
    }
  }

  /** Kinds that a CRD brings or takes away are asked for again. */
  #crdChanged(old: KeptCrd | undefined, current: KeptCrd | undefined): void {
    if (current === undefined && old !== undefined)
      this.#removed.set(kindText({ ...old, version: '' }), this.#clock.monotonic())
    else if (current !== undefined) this.#removed.delete(kindText({ ...current, version: '' }))
    const groups = new Set([old, current].flatMap((one) => (one === undefined ? [] : [one.group])))
    for (const group of groups) this.served.forget(group)
    for (const tracked of this.#tracked.values())
      if (tracked.kinds.some(({ group }) => groups.has(group))) this.#queue.add(tracked.key)
  }

  /** Has the change of a quota reported that only the caller knows of. */
  noteChange(key: string): void {
    this.#changed.add(key)
  }
}

function selectNamespace(tracked: TrackedQuota, { name, labels }: KeptNamespace): boolean {
  const { compiled } = tracked
  return compiled !== undefined && tracked.select(name, countsIn(compiled, name, labels))
}

function problemOf(tracked: TrackedQuota, kind: SourceKind, resource: ServerResource | undefined): string | undefined {
  if (resource === undefined) return unservedText(kind, 'the API server serves no such kind')
  if (!resource.verbs.includes('list') || !resource.verbs.includes('watch'))
    return unservedText(kind, 'objects of this kind cannot be listed and watched')
  return resource.namespaced || tracked.isGlobal ? undefined : notNamespacedText(kind)
}

const isServedBy = ({ served }: KeptCrd, { version }: SourceKind): boolean =>
  version === '' ? served.length > 0 : served.includes(version)

const isSameResource = (a: ServerResource, b: ServerResource): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource && a.kind === b.kind
