import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import { karmadaQuotaStatus, showsLedger } from '../decide/status.ts'
import type { LedgerStatus } from '../../counted/protocol/ledger-status.ts'
import type { LedgerStore, StoredLedger } from '../../counted/protocol/ledger-store.ts'
import { isConflict, isNotFound } from '../../../machinery/status.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { NEVER_ABORTED } from '../../../kube/time/clock.ts'
import type { QuotaLedgering } from '../../counted/adapter.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'
import { SOLE_NAMESPACE_SHARE } from '../../counted/protocol/namespace-share.ts'

/** A create takes hardly longer. Karmada has one writer for each binding, which creates again only after a failure. */
const CREATE_MS = 2_000

type Client = Pick<KubeClient, 'get' | 'update'>
type Tracker = Pick<QuotaTracker<TrackedKarmadaQuota>, 'observed' | 'observedLive'>

/** The ledgers of KarmadaQuotas, in their own statuses: one part for each limit. */
export const KARMADA_QUOTA_LEDGERING: QuotaLedgering<TrackedKarmadaQuota> = {
  kindOf: () => karmadaQuota,
  limitsOf: ({ compiled }) => compiled?.hard ?? {},
  options: { amountOf: (name) => name, share: SOLE_NAMESPACE_SHARE, createMs: CREATE_MS },
  statusOf: ({ state, limits }, old) => karmadaQuotaStatus(state, limits, old),
  shows: (status, { state, limits }) => showsLedger(status, state, limits),
  viewsOf: ({ generation, widenedAt }) => ({ generation, widenedAt, selection: '' }),
  isInQuota: true,
}

/** The ledger in the status of a KarmadaQuota: a change of its limits, too, changes the version that a decision was made on. */
export class QuotaStatusLedger implements LedgerStore {
  readonly #client: Client
  readonly #tracker: Tracker
  readonly #quotas: Pick<CacheView<KarmadaQuota>, 'get'>
  readonly #of: Pick<TrackedKarmadaQuota, 'key' | 'ref'>
  readonly #uid: string | undefined
  #isGone = false

  constructor(
    client: Client,
    tracker: Tracker,
    quotas: Pick<CacheView<KarmadaQuota>, 'get'>,
    { key, ref, quota }: TrackedKarmadaQuota,
  ) {
    this.#client = client
    this.#tracker = tracker
    this.#quotas = quotas
    this.#of = { key, ref }
    this.#uid = quota.metadata.uid
  }

  read(): StoredLedger | undefined {
    const quota = this.#known()
    return quota === undefined ? undefined : stored(quota)
  }

  async readLive(): Promise<StoredLedger | undefined> {
    const { namespace, name } = this.#of.ref
    try {
      const found = await this.#client.get<KarmadaQuota>(karmadaQuota, { namespace, name })
      await this.#tracker.observedLive(this.#of, found, NEVER_ABORTED)
      // A server that has just started finds no object of a CRD for a moment.
      if (found.metadata.uid === this.#uid) this.#isGone = false
    } catch (error) {
      if (!isNotFound(error)) throw error
      this.#isGone = true
    }
    return this.read()
  }

  async write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'> {
    const quota = this.#known()
    if (quota?.metadata.resourceVersion !== version) return 'conflict'
    try {
      const written = await this.#client.update(karmadaQuota, { ...quota, status }, { subresource: 'status' })
      this.#tracker.observed(this.#of, written)
      return stored(karmadaQuota.read(written))
    } catch (error) {
      if (isNotFound(error)) this.#isGone = true
      if (isConflict(error) || isNotFound(error)) return 'conflict'
      throw error
    }
  }

  #known(): KarmadaQuota | undefined {
    const { namespace, name } = this.#of.ref
    const quota = this.#isGone ? undefined : this.#quotas.get(namespace, name)
    return quota?.metadata.uid === this.#uid ? quota : undefined
  }
}

const stored = ({ metadata: { resourceVersion = '' }, status }: KarmadaQuota): StoredLedger => ({
  version: resourceVersion,
  status,
})
