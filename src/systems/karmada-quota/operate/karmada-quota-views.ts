import type { LedgerViews } from '../../counted/protocol/kind-view.ts'
import { readLedger } from '../../counted/protocol/ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from '../../counted/protocol/ledger-store.ts'
import { isOlder } from '../../../machinery/resource-version.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { catchUpWith } from '../../counted/count/catch-up.ts'
import { CountView } from '../../counted/replica/count-view.ts'
import type { KarmadaQuotaTracker } from './karmada-quota-tracker.ts'

export interface KarmadaQuotaViewsOptions {
  readonly client: Pick<KubeClient, 'listPages'>
  readonly tracker: KarmadaQuotaTracker
  readonly store: Pick<LedgerStore, 'read' | 'readLive'>
  readonly key: string
}

/** How long the API server may take to say what there is. */
const PATIENCE_MS = 8_000
const EVERYTHING = { has: () => true }

/** The counts of this replica for one KarmadaQuota, one for each limit, which catch up with the API server on request. */
export class KarmadaQuotaViews implements LedgerViewSource {
  readonly #options: KarmadaQuotaViewsOptions

  constructor(options: KarmadaQuotaViewsOptions) {
    this.#options = options
  }

  current(): LedgerViews | undefined {
    const { tracker, key } = this.#options
    const tracked = tracker.get(key)
    const { watched } = tracker.bindings
    if (tracked?.counts === undefined || !tracked.isCounted || watched === undefined) return undefined
    const { counted } = watched
    const kinds = [...tracked.counts].map(
      ([name, count]) => [name, new CountView({ counted, count }, EVERYTHING)] as const,
    )
    const { generation, widenedAt } = tracked
    return { generation, widenedAt, selection: '', kinds: new Map(kinds) }
  }

  async catchUp(exactly: boolean): Promise<void> {
    const { client, tracker, store, key } = this.#options
    const tracked = tracker.get(key)
    const { watched } = tracker.bindings
    if (tracked === undefined || watched === undefined) return
    const { namespace } = tracked.ref
    const signal = AbortSignal.timeout(PATIENCE_MS)
    // The limits stand beside the ledger, and may have been raised a moment ago.
    await Promise.all([
      store.readLive(),
      catchUpWith({ client, ...watched, namespace }, this.#revision(), exactly, signal),
    ])
  }

  /** How far the ledger has come with the bindings. */
  #revision(): string | undefined {
    const read = readLedger(this.#options.store.read()?.status)
    if (read.type !== 'ledger') return undefined
    return [...read.state.parts.values()].reduce<string | undefined>(
      (newest, { revision }) => (newest === undefined || isOlder(newest, revision) ? revision : newest),
      undefined,
    )
  }
}
