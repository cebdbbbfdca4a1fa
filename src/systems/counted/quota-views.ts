import type { KubeClient } from '../../kube/client/kube-client.ts'
import { isOlder } from '../../machinery/resource-version.ts'
import { isNotFound } from '../../machinery/status.ts'
import type { QuotaLedgering } from './adapter.ts'
import { catchUpWith } from './count/catch-up.ts'
import type { CountedQuota, CountedTarget } from './counted-quota.ts'
import type { LedgerViews } from './protocol/kind-view.ts'
import type { LedgerState } from './protocol/ledger-state.ts'
import type { LedgerViewSource } from './protocol/ledger-store.ts'
import type { QuotaTracker } from './quota-tracker.ts'
import { CountView } from './replica/count-view.ts'

export interface QuotaViewsOptions<T extends CountedQuota> {
  readonly client: Pick<KubeClient, 'get' | 'listPages'>
  readonly tracker: Pick<QuotaTracker<T>, 'get' | 'observedLive'>
  readonly ledgering: Pick<QuotaLedgering<T>, 'kindOf' | 'viewsOf' | 'catchUp' | 'isInQuota'>
  /** Reads the ledger from the API server. */
  readonly readLive: () => Promise<unknown>
  /** The content of the ledger, as this replica has it. Undefined if nothing can be decided on it. */
  readonly state: () => LedgerState | undefined
  readonly key: string
}

/** How long the API server may take to say what there is. */
const PATIENCE_MS = 8_000
const NO_PARTS: LedgerState['parts'] = new Map()

/** The counts of this replica for one quota, which catch up with the API server on request. */
export class QuotaViews<T extends CountedQuota> implements LedgerViewSource {
  readonly #options: QuotaViewsOptions<T>

  constructor(options: QuotaViewsOptions<T>) {
    this.#options = options
  }

  current(): LedgerViews | undefined {
    const { tracker, ledgering, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.isCounted !== true) return undefined
    const views = ledgering.viewsOf(tracked)
    return views && { ...views, kinds: kindViews(tracked) }
  }

  async catchUp(exactly: boolean): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    await Promise.all([this.#readQuota(signal), this.#catchUpObjects(exactly, signal)])
  }

  async #catchUpObjects(exactly: boolean, signal: AbortSignal): Promise<void> {
    const { client, tracker, ledgering, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.resolution === undefined) return
    const parts = this.#options.state()?.parts ?? NO_PARTS
    const { countedIn: namespace } = tracked
    const kinds = Map.groupBy(tracked.resolution.targets, ({ counted }) => counted)
    await Promise.all([
      ...[...kinds].map(([counted, targets]) => {
        const [first] = targets
        if (first === undefined) return undefined
        const place = { client, resource: first.resource, counted, namespace }
        return catchUpWith(place, newestOf(parts, targets), exactly, signal).catch((error: unknown) => {
          // The quota may not count it any more.
          if (tracker.get(key)?.target(first.resource)?.counted === counted) throw error
        })
      }),
      ledgering.catchUp?.(tracked, parts, signal),
    ])
  }

  /** Its limits may have been raised a moment ago. */
  async #readQuota(signal: AbortSignal): Promise<void> {
    const { client, tracker, ledgering, readLive, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined) return
    // The limits stand beside the ledger.
    if (ledgering.isInQuota === true) return void (await readLive())
    const { namespace, name } = tracked.ref
    try {
      const quota = await client.get(ledgering.kindOf(tracked), { namespace, name }, { signal })
      await tracker.observedLive(tracked, quota, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** The counts of a quota by the parts of its ledger. */
export const kindViews = ({ resolution, selection }: CountedQuota): LedgerViews['kinds'] =>
  new Map((resolution?.targets ?? []).map((target) => [target.part, new CountView(target, selection)]))

/** How far the ledger has come with the objects of a kind. */
function newestOf(parts: LedgerState['parts'], targets: readonly CountedTarget[]): string | undefined {
  return targets.reduce<string | undefined>((newest, { part }) => {
    const revision = parts.get(part)?.revision
    return newest === undefined || (revision !== undefined && isOlder(newest, revision)) ? revision : newest
  }, undefined)
}
