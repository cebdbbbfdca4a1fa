import { isConflict, isNotFound } from '../../../machinery/status.ts'
import type { QuantityLedger } from '../../../api/quantity-ledger/quantity-ledger.ts'
import type { LedgerStatus } from '../../../charges/ledger/ledger-status.ts'
import type { LedgerStore, StoredLedger } from '../../../charges/ledger/ledger-store.ts'
import type { LedgerCache } from '../ledger-cache.ts'
import type { LedgerOwner } from '../ledger-name.ts'

/** The ledger of one quota as an object of the API server. */
export class KeptLedger implements LedgerStore {
  readonly #ledgers: LedgerCache
  readonly #quota: LedgerOwner
  /** The version that was known of a ledger that is gone: the cache may not know it yet. */
  #gone = ''

  constructor(ledgers: LedgerCache, quota: LedgerOwner) {
    this.#ledgers = ledgers
    this.#quota = quota
  }

  read(): StoredLedger | undefined {
    const ledger = this.#known()
    return ledger === undefined ? undefined : stored(ledger)
  }

  async readLive(): Promise<StoredLedger | undefined> {
    const ledger = await this.#ledgers.readLive(this.#quota, {})
    if (ledger !== undefined) return stored(ledger)
    this.#lost()
    return undefined
  }

  async write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'> {
    const ledger = this.#known()
    if (ledger === undefined || versionOf(ledger) !== version) return 'conflict'
    try {
      return stored(await this.#ledgers.writeStatus(ledger, status, {}))
    } catch (error) {
      if (isNotFound(error)) this.#lost()
      if (isConflict(error) || isNotFound(error)) return 'conflict'
      throw error
    }
  }

  #known(): QuantityLedger | undefined {
    const ledger = this.#ledgers.get(this.#quota)
    return ledger === undefined || versionOf(ledger) === this.#gone ? undefined : ledger
  }

  #lost(): void {
    const ledger = this.#ledgers.get(this.#quota)
    if (ledger !== undefined) this.#gone = versionOf(ledger)
  }
}

const stored = (ledger: QuantityLedger): StoredLedger => ({ version: versionOf(ledger), status: ledger.status })

const versionOf = ({ metadata: { uid = '', resourceVersion = '' } }: QuantityLedger): string =>
  `${uid}/${resourceVersion}`
