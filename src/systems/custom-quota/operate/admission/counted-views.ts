import { customQuota } from '../../api/custom-quota.ts'
import { globalCustomQuota } from '../../api/global-custom-quota.ts'
import type { LedgerViews } from '../../../counted/protocol/kind-view.ts'
import { kindKey } from '../../../counted/protocol/ledger-state.ts'
import { readLedger } from '../../../counted/protocol/ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from '../../../counted/protocol/ledger-store.ts'
import { wholeNumber } from '../../../../machinery/json-value.ts'
import { isNotFound } from '../../../../machinery/status.ts'
import { isOlder } from '../../../../machinery/resource-version.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import { catchUpWith, within } from '../../../counted/count/catch-up.ts'
import { isMissed } from '../../../counted/replica/missed-generations.ts'
import { quotaViews } from '../custom-quota-views.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import type { AnyQuota, TrackedQuota } from '../tracking/tracked-custom-quota.ts'

/** How long the API server may take to say what there is. */
const PATIENCE_MS = 8_000
/** How long a watch is waited for that is behind the quota. */
const WATCH_MS = 1_000

export interface CountedViewsOptions {
  readonly client: Pick<KubeClient, 'get' | 'listPages'>
  readonly tracker: CustomQuotaTracker
  readonly store: Pick<LedgerStore, 'read'>
  readonly key: string
}

/** The counts of this replica for one quota, which catch up with the API server on request. */
export class CountedViews implements LedgerViewSource {
  readonly #options: CountedViewsOptions

  constructor(options: CountedViewsOptions) {
    this.#options = options
  }

  current(): LedgerViews | undefined {
    const { tracker, key } = this.#options
    const tracked = tracker.get(key)
    return tracked === undefined ? undefined : quotaViews(tracked, tracker.namespaces.version)
  }

  async catchUp(exactly: boolean): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    await Promise.all([this.#readQuota(signal), this.#catchUpObjects(exactly, signal)])
  }

  async #catchUpObjects(exactly: boolean, signal: AbortSignal): Promise<void> {
    const { client, tracker, store, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.resolution === undefined) return
    const targets = tracked.resolution.targets
    await Promise.all([
      ...targets.map(({ counted, count, resource }) => {
        const part = partsOf(store).get(kindKey(resource))
        return catchUpWith({ client, resource, counted, namespace: count.namespace }, part?.revision, exactly, signal)
      }),
      this.#catchUpNamespaces(tracked, signal),
    ])
  }

  /** Its limit may have been raised a moment ago. */
  async #readQuota(signal: AbortSignal): Promise<void> {
    const { client, tracker, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined) return
    const { namespace, name, isGlobal } = tracked
    const [resource, view] = isGlobal
      ? ([globalCustomQuota, tracker.globalQuotas] as const)
      : ([customQuota, tracker.customQuotas] as const)
    try {
      const quota = await client.get<AnyQuota>(resource, { namespace, name }, { signal })
      await this.#awaitSpecs(quota, signal)
      view.observed(quota)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** The watch brings the specs between the known one and this one. Where it does not soon, they count as if they had widened the quota. */
  async #awaitSpecs({ metadata }: AnyQuota, signal: AbortSignal): Promise<void> {
    const { tracker, key } = this.#options
    const generation = Number(wholeNumber(metadata.generation) ?? 0n)
    const isSeen = (): boolean => !isMissed(tracker.get(key)?.generation ?? generation, generation)
    if (isSeen()) return
    const seen = Promise.withResolvers<void>()
    const end = tracker.onChange(() => {
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

  async #catchUpNamespaces({ namespaces }: TrackedQuota, signal: AbortSignal): Promise<void> {
    if (namespaces === undefined) return
    const { tracker, store } = this.#options
    const { version } = tracker.namespaces
    const selections = [...partsOf(store).values()].map(({ selection }) => selection)
    if (version !== undefined && !selections.some((selection) => isOlder(version, selection))) return
    await within(tracker.namespaces.refresh(), signal)
  }
}

const partsOf = (store: Pick<LedgerStore, 'read'>) => {
  const read = readLedger(store.read()?.status)
  return read.type === 'ledger' ? read.state.parts : new Map<string, never>()
}
