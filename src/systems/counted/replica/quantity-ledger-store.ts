import { isConflict, isNotFound } from '../../../machinery/status.ts'
import type { QuantityLedger } from '../api/quantity-ledger.ts'
import { type Clock, NEVER_ABORTED } from '../../../kube/time/clock.ts'
import type { LedgerStatus } from '../protocol/ledger-status.ts'
import type { LedgerStore, StoredLedger } from '../protocol/ledger-store.ts'
import type { LedgerCache } from './ledger-cache.ts'
import type { LedgerOwner } from './ledger-name.ts'

type Ledgers = Pick<LedgerCache, 'get' | 'readLive' | 'stored' | 'untrack' | 'writeStatus'>

/** How long a replica that lost a race waits at most, in durations of its write. */
const STEP_BACK = 2

/** The ledger of one quota as an object of the API server. */
export class QuantityLedgerStore implements LedgerStore {
  readonly #ledgers: Ledgers
  readonly #quota: LedgerOwner
  readonly #clock: Pick<Clock, 'monotonic' | 'random' | 'sleep'>
  /** The ledger that this store gave last: decisions are written on it, and the API server knows whether it is the newest. */
  #given: QuantityLedger | undefined
  /** The version that was known of a ledger that is gone: the cache may not know it yet. */
  #gone = ''
  /** Was the API server asked not to track the managers of its fields? */
  #isUntracked = false

  constructor(ledgers: Ledgers, quota: LedgerOwner, clock: Pick<Clock, 'monotonic' | 'random' | 'sleep'>) {
    this.#ledgers = ledgers
    this.#quota = quota
    this.#clock = clock
  }

  read(): StoredLedger | undefined {
    return this.#give(this.#known())
  }

  async readLive(): Promise<StoredLedger | undefined> {
    const before = this.#ledgers.get(this.#quota)
    const ledger = await this.#ledgers.readLive(this.#quota, {})
    if (ledger !== undefined) {
      // A server that has just started finds no object of a CRD for a moment.
      if (this.#versionOf(ledger) === this.#gone) this.#gone = ''
      return this.#give(ledger)
    }
    this.#lost(before)
    return undefined
  }

  async write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'> {
    const ledger = this.#ofVersion(version)
    if (ledger === undefined) return 'conflict'
    const began = this.#clock.monotonic()
    try {
      return this.#give(await this.#untracked(await this.#ledgers.writeStatus(ledger, status, {})))
    } catch (error) {
      if (isNotFound(error)) this.#lost(ledger)
      if (isConflict(error)) await this.#stepBack(this.#clock.monotonic() - began)
      if (isConflict(error) || isNotFound(error)) return 'conflict'
      throw error
    }
  }

  /** Once for each ledger, since it makes all further writes cheaper; where it fails, they are only dearer. */
  async #untracked(written: QuantityLedger): Promise<QuantityLedger> {
    if (this.#isUntracked) return written
    this.#isUntracked = true
    if (written.metadata.managedFields === undefined) return written
    try {
      return await this.#ledgers.untrack(written)
    } catch {
      return written
    }
  }

  /**
   * Waits after a conflict with another replica. If all replicas tried again at once, only one would succeed. So each
   * waits for a random time, in which more requests gather for its next write.
   */
  async #stepBack(writeMs: number): Promise<void> {
    await this.#clock.sleep(STEP_BACK * writeMs * this.#clock.random(), NEVER_ABORTED)
  }

  #give(ledger: QuantityLedger): StoredLedger
  #give(ledger: QuantityLedger | undefined): StoredLedger | undefined
  #give(ledger: QuantityLedger | undefined): StoredLedger | undefined {
    this.#given = ledger
    return ledger === undefined ? undefined : this.#ledgers.stored(ledger)
  }

  #ofVersion(version: string): QuantityLedger | undefined {
    const isOf = (ledger: QuantityLedger | undefined): boolean =>
      ledger !== undefined && this.#versionOf(ledger) === version
    if (isOf(this.#given)) return this.#given
    const known = this.#known()
    return isOf(known) ? known : undefined
  }

  #known(): QuantityLedger | undefined {
    const ledger = this.#ledgers.get(this.#quota)
    return ledger === undefined || this.#versionOf(ledger) === this.#gone ? undefined : ledger
  }

  /** `ledger`: as it was known when the API server was asked. Another one may have been made since. */
  #lost(ledger: QuantityLedger | undefined): void {
    if (ledger === undefined) return
    this.#gone = this.#versionOf(ledger)
    if (this.#given !== undefined && this.#versionOf(this.#given) === this.#gone) this.#given = undefined
  }

  #versionOf(ledger: QuantityLedger): string {
    return this.#ledgers.stored(ledger).version
  }
}
