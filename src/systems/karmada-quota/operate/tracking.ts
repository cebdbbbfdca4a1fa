import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import { costsOf } from '../decide/costs.ts'
import { validateKarmadaQuota } from '../decide/validate-quota.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { slimMetadata } from '../../../kube/cache/trim-object.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { QuotaTracking, TrackedQuotas } from '../../counted/adapter.ts'
import type { Measured, QuotaPart } from '../../counted/count/kind-counts.ts'
import type { FoundKind } from '../../counted/kind-finder.ts'
import { NO_BINDINGS } from './no-bindings.ts'
import { TrackedKarmadaQuota } from './tracked-quota.ts'
import { WaitingBindings } from './waiting-bindings.ts'

/** How KarmadaQuotas count: the ResourceBindings of their namespaces, one amount for each limit. */
export class KarmadaQuotaTracking implements QuotaTracking<TrackedKarmadaQuota> {
  readonly view: CacheView<KarmadaQuota>
  readonly quotas: ReadonlyMap<string, CacheView<KarmadaQuota>>
  readonly waiting = new WaitingBindings()
  /** The bindings as the API server served them last, also where no quota counts them any more. */
  resource: ServerResource | undefined
  #tracker: TrackedQuotas<TrackedKarmadaQuota> | undefined

  constructor({ caches }: Pick<OperatorContext, 'caches'>) {
    this.view = caches.view<KarmadaQuota>({
      kind: karmadaQuota,
      // Hardly any text of a ledger occurs in another, and each batch of requests brings a new one.
      keep: (object) => karmadaQuota.read(slimMetadata(object)),
    })
    this.quotas = new Map([[karmadaQuota.kind, this.view]])
  }

  compile(quota: KarmadaQuota): TrackedKarmadaQuota {
    return new TrackedKarmadaQuota(quota)
  }

  update(tracked: TrackedKarmadaQuota, quota: KarmadaQuota): void {
    // Each batch of requests writes a status.
    if (!jsonEqual(tracked.quota.spec, quota.spec)) tracked.compile(quota)
    tracked.noteStatus(quota)
  }

  countsAlike(old: KarmadaQuota, quota: KarmadaQuota): boolean {
    if (jsonEqual(old.spec, quota.spec)) return true
    return isValid(old) === isValid(quota) && this.countsNoMore(old, quota) && this.countsNoMore(quota, old)
  }

  /** An invalid spec counts nothing: a valid one counts more, whatever its names. */
  countsNoMore(former: KarmadaQuota, quota: KarmadaQuota): boolean {
    if (!isValid(former) && isValid(quota)) return false
    const [old, spec] = [former.spec, quota.spec]
    const before = old.hard ?? {}
    return (
      Object.keys(spec.hard ?? {}).every((name) => Object.hasOwn(before, name)) &&
      jsonEqual([old.scopes ?? [], old.scopeSelector ?? {}], [spec.scopes ?? [], spec.scopeSelector ?? {}])
    )
  }

  problemOf({ limits }: TrackedKarmadaQuota, { error }: FoundKind): string | undefined {
    if (limits.length === 0) return undefined
    return error === undefined ? NO_BINDINGS : 'the API server does not say whether it serves ResourceBindings'
  }

  partsOf({ compiled }: TrackedKarmadaQuota): readonly QuotaPart[] {
    return [...(compiled?.tracked.keys() ?? [])].map((name) => ({ name, amount: name }))
  }

  measure(binding: KubeObject): (tracked: TrackedKarmadaQuota) => Measured | undefined {
    const { namespace = '' } = binding.metadata
    if (this.waiting.saw(binding))
      for (const { key } of this.#tracker?.in(namespace) ?? []) this.#tracker?.noteChange(key)
    return ({ compiled }) => {
      if (compiled === undefined) return undefined
      try {
        return { amounts: costsOf(compiled, binding) }
      } catch (error) {
        if (!(error instanceof QuantityError)) throw error
        // The schema of bindings keeps such requests out.
        return { problem: error.message }
      }
    }
  }

  begun(tracker: TrackedQuotas<TrackedKarmadaQuota>): void {
    this.#tracker = tracker
  }

  /** No target tells of the bindings that are watched for a quota without limits. */
  dropped(tracked: TrackedKarmadaQuota): void {
    for (const { resource } of this.#tracker?.kinds.all ?? []) this.#tracker?.kinds.drop(tracked, resource)
  }

  /** Nobody looks at the bindings of a namespace any more whose last quota went. */
  gone({ namespace }: TrackedKarmadaQuota): void {
    if (this.#tracker?.in(namespace).length === 0) this.waiting.forgetAll(namespace)
  }

  found(tracked: TrackedKarmadaQuota, found: readonly FoundKind[]): void {
    for (const { resource, error } of found) {
      this.resource = resource ?? this.resource
      if (resource === undefined && error === undefined) this.dropped(tracked)
    }
  }
}

const isValid = (quota: KarmadaQuota): boolean => validateKarmadaQuota(quota).length === 0
