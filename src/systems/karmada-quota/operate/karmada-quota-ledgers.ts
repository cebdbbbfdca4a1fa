import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import { karmadaQuotaStatus, showsLedger } from '../decide/karmada-quota-status.ts'
import { LedgerAdmission } from '../../counted/protocol/ledger-admission.ts'
import type { LedgerStatus } from '../../counted/protocol/ledger-status.ts'
import type { LedgerStore, StoredLedger } from '../../counted/protocol/ledger-store.ts'
import { isConflict, isNotFound } from '../../../machinery/status.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { patienceOf } from '../../counted/replica/patience.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { KarmadaQuotaTracker } from './karmada-quota-tracker.ts'
import { KarmadaQuotaViews } from './karmada-quota-views.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface KarmadaQuotaLedgersOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock'>
  readonly tracker: KarmadaQuotaTracker
  /** How long an API server goes on with a request at most, in milliseconds. */
  readonly requestTimeoutMs: number
}

/** The ledger of one KarmadaQuota, as this replica uses it. */
export interface KarmadaQuotaLedger {
  readonly admission: LedgerAdmission
  readonly views: KarmadaQuotaViews
  readonly store: LedgerStore
}

/** A binding has one reservation for each limit that it raises, and no namespace shares a ledger with another. */
const SHARE = 1024
/** A create takes hardly longer. Karmada has one writer for each binding, which creates again only after a failure. */
const CREATE_MS = 2_000
const LIMIT_ITSELF = (name: string): string => name

/** The ledgers of KarmadaQuotas, each made once. */
export class KarmadaQuotaLedgers {
  readonly #options: KarmadaQuotaLedgersOptions
  readonly #known = new WeakMap<TrackedKarmadaQuota, KarmadaQuotaLedger>()

  constructor(options: KarmadaQuotaLedgersOptions) {
    this.#options = options
  }

  /** The ledger of a quota: the same one for as long as the quota counts the same. */
  readonly of = (tracked: TrackedKarmadaQuota): KarmadaQuotaLedger => {
    const known = this.#known.get(tracked)
    if (known !== undefined) return known
    const made = this.#make(tracked)
    this.#known.set(tracked, made)
    return made
  }

  #make({ key, ref, quota }: TrackedKarmadaQuota): KarmadaQuotaLedger {
    const { context, tracker, requestTimeoutMs } = this.#options
    const { client, clock } = context
    const store = new QuotaStatusLedger(client, tracker, quota)
    const limits = (): ResourceList => tracker.get(key)?.compiled?.hard ?? {}
    const views = new KarmadaQuotaViews({ client, tracker, store, key })
    const admission = new LedgerAdmission({
      ref,
      store,
      views,
      limits,
      amountOf: LIMIT_ITSELF,
      clock: clock.monotonic,
      statusOf: (state, old) => karmadaQuotaStatus(state, limits(), old),
      shows: (status, state) => showsLedger(status, state, limits()),
      patience: patienceOf(requestTimeoutMs),
      share: SHARE,
      createMs: CREATE_MS,
      onRelease: () => tracker.noteChange(key),
    })
    return { admission, views, store }
  }
}

/** The ledger in the status of a KarmadaQuota: a change of its limits, too, changes the version that a decision was made on. */
class QuotaStatusLedger implements LedgerStore {
  readonly #client: Pick<KubeClient, 'get' | 'update'>
  readonly #tracker: KarmadaQuotaTracker
  readonly #place: { readonly namespace: string; readonly name: string }
  readonly #uid: string | undefined
  #isGone = false

  constructor(client: Pick<KubeClient, 'get' | 'update'>, tracker: KarmadaQuotaTracker, { metadata }: KarmadaQuota) {
    const { namespace = '', name = '', uid } = metadata
    this.#client = client
    this.#tracker = tracker
    this.#place = { namespace, name }
    this.#uid = uid
  }

  read(): StoredLedger | undefined {
    const quota = this.#known()
    return quota === undefined ? undefined : stored(quota)
  }

  async readLive(): Promise<StoredLedger | undefined> {
    try {
      const found = await this.#client.get<KarmadaQuota>(karmadaQuota, this.#place)
      this.#tracker.observed(found)
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
      this.#tracker.observed(written)
      return stored(karmadaQuota.read(written))
    } catch (error) {
      if (isNotFound(error)) this.#isGone = true
      if (isConflict(error) || isNotFound(error)) return 'conflict'
      throw error
    }
  }

  #known(): KarmadaQuota | undefined {
    const { namespace, name } = this.#place
    const quota = this.#isGone ? undefined : this.#tracker.quotas.get(namespace, name)
    return quota?.metadata.uid === this.#uid ? quota : undefined
  }
}

const stored = ({ metadata: { resourceVersion = '' }, status }: KarmadaQuota): StoredLedger => ({
  version: resourceVersion,
  status,
})
