import { customQuota } from '../../api/custom-quota.ts'
import { globalCustomQuota } from '../../api/global-custom-quota.ts'
import { compileQuota, type QuotaCompileOptions } from '../../decide/compile-quota.ts'
import { uncountedText } from '../../decide/refusal.ts'
import { MeasureError } from '../../decide/measure-error.ts'
import { costOf, countsIn, findsNothing } from '../../decide/object-cost.ts'
import { NamespaceEffort } from '../../decide/quota-bounds.ts'
import { notNamespacedText, unservedText } from '../../decide/quota-status.ts'
import { countsAlike, countsNoMore } from '../../decide/spec-changes.ts'
import type { SourceKind } from '../../decide/source-kind.ts'
import { jsonEqual } from '../../../../machinery/json-value.ts'
import { keepEqual } from '../../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import type { StringPool } from '../../../../kube/cache/string-pool.ts'
import { slimObject } from '../../../../kube/cache/trim-object.ts'
import { keepNamespace, type KeptNamespace, NAMESPACES } from '../../../../operator/cluster/keep-namespace.ts'
import type { QuotaTracking, TrackedQuotas } from '../../../counted/adapter.ts'
import type { Measured, QuotaPart } from '../../../counted/count/kind-counts.ts'
import type { FoundKind } from '../../../counted/kind-finder.ts'
import { LEDGER_AMOUNT } from '../../../counted/protocol/ledger-budget.ts'
import { kindKey } from '../../../counted/protocol/ledger-state.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { isSetAside } from '../quota-bound.ts'
import { UnservedKinds } from './unserved-kinds.ts'
import { type AnyQuota, TrackedQuota } from './tracked-quota.ts'

const UNKNOWN = 'the API server does not say what it serves'

type Found = FoundKind<SourceKind>

/** How custom quotas count: the kinds of their sources, one amount for each kind, in the namespaces that they select. */
export class CustomQuotaTracking implements QuotaTracking<TrackedQuota> {
  readonly customQuotas: CacheView<AnyQuota>
  readonly globalQuotas: CacheView<AnyQuota>
  readonly quotas: ReadonlyMap<string, CacheView<AnyQuota>>
  readonly namespaces: CacheView<KeptNamespace>
  readonly unserved: UnservedKinds
  readonly isSetAside = isSetAside
  readonly measure = measureObject
  readonly #compile: QuotaCompileOptions
  #tracker: TrackedQuotas<TrackedQuota> | undefined

  constructor({ caches }: Pick<OperatorContext, 'caches'>, compile: QuotaCompileOptions) {
    this.#compile = compile
    const keep =
      (read: (object: KubeObject) => AnyQuota) =>
      (object: KubeObject, share: StringPool, old: AnyQuota | undefined): AnyQuota =>
        keepEqual(read(slimObject(object, share)), old)
    this.customQuotas = caches.view({ kind: customQuota, keep: keep(customQuota.read) })
    this.globalQuotas = caches.view({ kind: globalCustomQuota, keep: keep(globalCustomQuota.read) })
    this.quotas = new Map([
      [customQuota.kind, this.customQuotas],
      [globalCustomQuota.kind, this.globalQuotas],
    ])
    this.namespaces = caches.view<KeptNamespace>({ kind: NAMESPACES, keep: keepNamespace })
    this.unserved = new UnservedKinds((kind) => this.#tracker?.finder.crdOf(kind))
  }

  compile(quota: AnyQuota): TrackedQuota {
    return new TrackedQuota(quota, compileQuota(quota.spec, this.#compile))
  }

  update(tracked: TrackedQuota, { spec }: AnyQuota): void {
    if (!jsonEqual(tracked.quota.spec, spec)) tracked.compilation = compileQuota(spec, this.#compile)
  }

  countsAlike(old: AnyQuota, quota: AnyQuota): boolean {
    return countsAlike(old.spec, quota.spec)
  }

  countsNoMore(old: AnyQuota, quota: AnyQuota): boolean {
    return countsNoMore(old.spec, quota.spec)
  }

  problemOf(_: TrackedQuota, { kind, resource, error }: Found): string {
    if (resource === undefined)
      return unservedText(kind, error === undefined ? 'the API server serves no such kind' : UNKNOWN)
    return canBeWatched(resource)
      ? notNamespacedText(kind)
      : unservedText(kind, 'objects of this kind cannot be listed and watched')
  }

  partsOf(_: TrackedQuota, resource: ServerResource): readonly QuotaPart[] {
    return [{ name: kindKey(resource), amount: LEDGER_AMOUNT }]
  }

  begun(tracker: TrackedQuotas<TrackedQuota>): void {
    this.#tracker = tracker
    this.namespaces.onChange((old, current) => {
      for (const tracked of tracker.all) {
        const isChanged =
          current === undefined ? tracked.select(old?.name ?? '', false) : selectNamespace(tracked, current)
        if (isChanged) tracker.noteChange(tracked.key)
      }
    })
  }

  added(tracked: TrackedQuota): void {
    for (const namespace of this.namespaces.list()) selectNamespace(tracked, namespace)
  }

  dropped(tracked: TrackedQuota): void {
    this.#setUnserved(tracked, [])
  }

  found(tracked: TrackedQuota, found: readonly Found[]): void {
    for (const { kind, resource } of found)
      if (resource !== undefined && canBeWatched(resource)) this.unserved.note(tracked, kind, resource)
    const isUnserved = ({ resource, error }: Found): boolean => resource === undefined && error === undefined
    this.#setUnserved(
      tracked,
      found.filter(isUnserved).map(({ kind }) => kind),
    )
  }

  #setUnserved(tracked: TrackedQuota, kinds: readonly SourceKind[]): void {
    if (this.unserved.set(tracked, kinds) && this.#tracker !== undefined) this.#tracker.changes++
  }
}

/** Begins to measure an object; gives its cost for each quota. Quotas of one namespace share the work that they may make. */
export function measureObject(object: KubeObject): (tracked: TrackedQuota) => Measured | undefined {
  const effort = new NamespaceEffort()
  return ({ compiled, isGlobal }) => {
    if (compiled === undefined) return undefined
    const bound = isGlobal ? undefined : effort
    try {
      const amount = costOf(compiled, object, bound)
      if (amount === undefined) return undefined
      const isEmpty = amount.isZero() && findsNothing(compiled, object, bound)
      return { amounts: { [LEDGER_AMOUNT]: amount }, isEmpty }
    } catch (error) {
      if (!(error instanceof MeasureError)) throw error
      return { problem: uncountedText(object, error) }
    }
  }
}

const canBeWatched = ({ verbs }: ServerResource): boolean => verbs.includes('list') && verbs.includes('watch')

function selectNamespace(tracked: TrackedQuota, { name, labels }: KeptNamespace): boolean {
  const { compiled } = tracked
  return compiled !== undefined && tracked.select(name, countsIn(compiled, name, labels))
}
