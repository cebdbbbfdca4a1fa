import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import type { LedgerStatus } from '../../counted/protocol/ledger-status.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { slimMetadata } from '../../../kube/cache/trim-object.ts'
import { quotaKey } from '../../counted/replica/ledger-name.ts'
import { ChangedKeys } from '../../../operator/shell/changed-keys.ts'
import { isMissed } from '../../counted/replica/missed-generations.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { CountedBindings } from './counted-bindings.ts'
import { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'
import { WaitingBindings } from './waiting-bindings.ts'

/** Takes the key of a quota that is gone, and its last status, which was its ledger. */
type GoneHandler = (key: string, status: LedgerStatus | undefined) => void

/** All KarmadaQuotas as this replica knows them, with the bindings that they count. Every replica has one, whether it leads or not. */
export class KarmadaQuotaTracker {
  readonly quotas: CacheView<KarmadaQuota>
  readonly bindings: CountedBindings
  readonly waiting = new WaitingBindings()
  /** Counts how often quotas came or went. */
  changes = 0
  readonly #tracked = new Map<string, TrackedKarmadaQuota>()
  readonly #inNamespace = new Map<string, ReadonlySet<TrackedKarmadaQuota>>()
  readonly #goneHandlers = new Set<GoneHandler>()
  readonly #changed = new ChangedKeys()

  constructor(context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>) {
    this.bindings = new CountedBindings({
      context,
      onSight: (binding) => {
        if (!this.waiting.saw(binding)) return
        for (const { key } of this.in(binding.metadata.namespace ?? '')) this.#changed.add(key)
      },
      onChange: (key) => this.#changed.add(key),
    })
    this.quotas = context.caches.view<KarmadaQuota>({
      kind: karmadaQuota,
      // Hardly any text of a ledger occurs in another, and each batch of requests brings a new one.
      keep: (object) => karmadaQuota.read(slimMetadata(object)),
    })
    this.quotas.onChange((old, current) => {
      if (current !== undefined) this.#track(current)
      else if (old !== undefined) this.#gone(quotaKey(old))
    })
  }

  get all(): Iterable<TrackedKarmadaQuota> {
    return this.#tracked.values()
  }

  get(key: string): TrackedKarmadaQuota | undefined {
    return this.#tracked.get(key)
  }

  /** The quotas of a namespace in the order of their names. */
  in(namespace: string): readonly TrackedKarmadaQuota[] {
    return [...(this.#inNamespace.get(namespace) ?? [])].toSorted((a, b) => (a.ref.name < b.ref.name ? -1 : 1))
  }

  /** Has every change been reported? */
  get isReported(): boolean {
    return this.#changed.isReported
  }

  /** Calls a handler, soon and not for each change alone, with the keys of quotas that changed: their specs, statuses or counts. */
  onChange(handler: (key: string) => void): () => void {
    return this.#changed.onChange(handler, this.#tracked.keys())
  }

  /** Calls a handler with each quota that goes, at once, while its bindings are still known. Another of its name may have come. */
  onGone(handler: GoneHandler): () => void {
    this.#goneHandlers.add(handler)
    return () => void this.#goneHandlers.delete(handler)
  }

  /** Takes a quota as it was just read or written. */
  observed(quota: KubeObject): void {
    this.quotas.observed(quota)
  }

  stop(): Promise<void> {
    return this.bindings.stop()
  }

  #track(quota: KarmadaQuota): void {
    const key = quotaKey(quota)
    const known = this.#tracked.get(key)
    this.#changed.add(key)
    if (known !== undefined && countsAlike(known.quota, quota)) {
      // Each batch of requests writes a status.
      if (jsonEqual(known.quota.spec, quota.spec)) known.tookStatus(quota)
      else known.update(quota)
      return
    }
    const isSame = known?.quota.metadata.uid === quota.metadata.uid
    if (isSame) this.#untrack(key)
    else this.#gone(key)
    const tracked = new TrackedKarmadaQuota(quota)
    if (isSame && known !== undefined) {
      tracked.hasHadLedger ||= known.hasHadLedger
      const isNoMore = !isMissed(known.generation, tracked.generation) && countsNoMore(known.quota, quota)
      if (isNoMore) tracked.widenedAt = known.widenedAt
    }
    this.#tracked.set(key, tracked)
    const { namespace } = tracked.ref
    this.#inNamespace.set(namespace, new Set(this.#inNamespace.get(namespace)).add(tracked))
    this.changes++
    this.bindings.add(tracked)
  }

  #gone(key: string): void {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined) return
    this.#untrack(key)
    const { namespace } = tracked.ref
    for (const handler of this.#goneHandlers) handler(key, tracked.quota.status)
    // Nobody looks at the bindings of the namespace any more.
    if (!this.#inNamespace.has(namespace)) this.waiting.forgetAll(namespace)
  }

  #untrack(key: string): void {
    const tracked = this.#tracked.get(key)
    if (tracked === undefined) return
    this.#tracked.delete(key)
    const { namespace } = tracked.ref
    const others = (this.#inNamespace.get(namespace) ?? new Set()).difference(new Set([tracked]))
    if (others.size === 0) this.#inNamespace.delete(namespace)
    else this.#inNamespace.set(namespace, others)
    this.changes++
    this.bindings.drop(tracked)
    this.#changed.add(key)
  }

  /** Has the change of a quota reported that only the caller knows of. */
  noteChange(key: string): void {
    this.#changed.add(key)
  }
}

/** Is it the same quota, and does it count the same bindings at the same costs? Its limits may differ. */
const countsAlike = (old: KarmadaQuota, quota: KarmadaQuota): boolean =>
  old.metadata.uid === quota.metadata.uid && countsNoMore(old, quota) && countsNoMore(quota, old)

/** Does each binding cost the quota either as much as before, or nothing in all its states? Limits may be left out. */
function countsNoMore({ spec: old }: KarmadaQuota, { spec }: KarmadaQuota): boolean {
  const before = old.hard ?? {}
  return (
    Object.keys(spec.hard ?? {}).every((name) => Object.hasOwn(before, name)) &&
    jsonEqual([old.scopes ?? [], old.scopeSelector ?? {}], [spec.scopes ?? [], spec.scopeSelector ?? {}])
  )
}
