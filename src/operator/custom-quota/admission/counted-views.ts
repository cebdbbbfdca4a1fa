import { customQuota } from '../../../api/custom-quota/custom-quota.ts'
import { globalCustomQuota } from '../../../api/custom-quota/global-custom-quota.ts'
import type { LedgerViews } from '../../../charges/ledger/kind-view.ts'
import { kindKey } from '../../../charges/ledger/ledger-state.ts'
import { readLedger } from '../../../charges/ledger/ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from '../../../charges/ledger/ledger-store.ts'
import { isNotFound } from '../../../machinery/status.ts'
import { isOlder } from '../../../machinery/resource-version.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { quotaViews } from '../quota-views.ts'
import type { QuotaTracker } from '../tracking/quota-tracker.ts'
import type { CountedTarget, TrackedQuota } from '../tracking/tracked-quota.ts'

/** More objects are not listed each time before a request is refused: their watch is waited for. */
const MOST_LISTED = 500
/** How long a watch that has nothing to report is waited for. */
const QUIET_MS = 100
/** How long a watch is waited for that is behind the ledger. */
const BEHIND_MS = 1_000
/** How long the API server may take to say what there is. */
const PATIENCE_MS = 8_000

export interface CountedViewsOptions {
  readonly client: Pick<KubeClient, 'get' | 'listPages'>
  readonly tracker: QuotaTracker
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

  /**
   * Few objects are listed. Of many, what was stored until now is waited for, at most for a moment, since a watch without events
   * does not say how far it is; and they are listed where this replica is behind the ledger, or where nothing may be missing.
   */
  async catchUp(exactly: boolean): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    await Promise.all([this.#readQuota(signal), this.#catchUpObjects(exactly, signal)])
  }

  async #catchUpObjects(exactly: boolean, signal: AbortSignal): Promise<void> {
    const { tracker, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.resolution === undefined) return
    const targets = tracked.resolution.targets
    await Promise.all([
      ...targets.map((target) => this.#catchUpWith(target, exactly, signal)),
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
      view.observed(await client.get(resource, { namespace, name }, { signal }))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #catchUpWith(
    { counted, count, resource }: CountedTarget,
    exactly: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace } = count
    if (counted.sizes.of(namespace) <= MOST_LISTED) return await within(counted.list(namespace), signal)
    const { client, store } = this.#options
    let now = ''
    const place = namespace === undefined ? {} : { namespace }
    for await (const { resourceVersion } of client.listPages(resource, { ...place, pageSize: 1, signal })) {
      now = resourceVersion
      break
    }
    const part = partsOf(store).get(kindKey(resource))
    const isBehind = part !== undefined && isOlder(counted.versionOf(namespace), part.revision)
    const waited = AbortSignal.any([signal, AbortSignal.timeout(isBehind ? BEHIND_MS : QUIET_MS)])
    await counted.whenReached(now, namespace, waited).catch(() => undefined)
    signal.throwIfAborted()
    const needed = exactly ? now : (part?.revision ?? '')
    if (isOlder(counted.versionOf(namespace), needed)) await within(counted.list(namespace), signal)
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

async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abandon = (): void => reject(signal.reason)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}
