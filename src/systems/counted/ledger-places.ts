import type { Logger } from '../../runtime/process/logger.ts'
import type { QuotaLedgering } from './adapter.ts'
import { type CountedQuota, ownerOf } from './counted-quota.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { hasCause, isAlreadyExists, isConflict, isNotFound } from '../../machinery/status.ts'
import type { LedgerCache } from './replica/ledger-cache.ts'
import type { LedgerOwner } from './replica/ledger-name.ts'

export interface LedgerPlacesOptions<T extends CountedQuota> {
  readonly client: Pick<KubeClient, 'get'>
  readonly logger: Pick<Logger, 'warn'>
  readonly ledgers: LedgerCache
  readonly kindOf: QuotaLedgering<T>['kindOf']
  /** Reports whether ledgers of other quotas may be deleted from the place of a ledger now. Left out: always. */
  readonly reclaims?: () => boolean
}

/**
 * Whether a quota has its ledger now. `taken`: an object that is not its ledger has the place, and is asked to go. `stuck`: it does not go, for
 * example because of a finalizer. `none`: none is made.
 */
export type LedgerPlace = 'there' | 'taken' | 'stuck' | 'none'

/** Keeps QuantityLedgers in their places, as those of their quotas. Only the leader uses it. */
export class LedgerPlaces<T extends CountedQuota> {
  readonly #options: LedgerPlacesOptions<T>

  constructor(options: LedgerPlacesOptions<T>) {
    this.#options = options
  }

  /** All ledgers. */
  get view(): LedgerCache['view'] {
    return this.#options.ledgers.view
  }

  /** Did somebody else than a replica write the ledger of a quota? */
  isForeign(tracked: T): boolean {
    const { ledgers } = this.#options
    const ledger = ledgers.get(this.#ownerOf(tracked))
    return ledger !== undefined && ledgers.isForeign(ledger)
  }

  /** Makes the ledger of a quota where there is none, and has it say whose it is. Rejects as `KubeClient` does. */
  async keep(tracked: T, signal: AbortSignal): Promise<LedgerPlace> {
    const { ledgers } = this.#options
    const { key } = tracked
    const owner = this.#ownerOf(tracked)
    const reclaimed = ledgers.isTaken(owner) ? await this.#reclaim(tracked, owner, signal) : 'there'
    if (reclaimed !== 'there') return reclaimed
    const ledger = ledgers.get(owner)
    if ((ledger?.status?.outstanding ?? '') !== '') tracked.hasHadLedger = true
    const place = ledger === undefined ? await this.#create(tracked, owner, signal) : 'there'
    if (place === 'there') await this.#mark(key, owner, signal)
    return place
  }

  #ownerOf(tracked: T): LedgerOwner {
    return ownerOf(tracked, this.#options.kindOf(tracked))
  }

  /**
   * Frees the place of the ledger from a ledger that names another quota. A ledger that was written for this quota gets
   * its name back. Any other is deleted: only once this replica has seen it go does it know all that was reserved
   * there.
   */
  async #reclaim(tracked: T, owner: LedgerOwner, signal: AbortSignal): Promise<LedgerPlace> {
    const { ledgers, logger, reclaims } = this.#options
    const ledger = ledgers.at(owner)
    if (ledger === undefined) return 'there'
    if (reclaims?.() === false) return 'taken'
    try {
      // The watch may show the ledger of a newer quota of the name before it shows that quota.
      if (!(await this.#exists(tracked, signal))) return 'taken'
      logger.warn({ quota: tracked.key }, 'the ledger of a quota says that it belongs to another')
      if (!ledgers.isSealedFor(owner) && ledger.metadata.deletionTimestamp !== undefined) return 'stuck'
      if (ledgers.isSealedFor(owner)) {
        await ledgers.mark(ledger, owner, { signal })
        return 'there'
      }
      await ledgers.delete(ledger, { signal })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
    return 'taken'
  }

  /** None is made in a namespace that ends. */
  async #create(tracked: T, owner: LedgerOwner, signal: AbortSignal): Promise<LedgerPlace> {
    const { ledgers, logger } = this.#options
    const { key, quota } = tracked
    try {
      // The watch may show that the ledger of a deleted quota went before it shows that the quota did.
      if (quota['status'] !== undefined && !(await this.#exists(tracked, signal))) return 'none'
      await ledgers.create(owner, { signal })
      return 'there'
    } catch (error) {
      if (isNotFound(error) || hasCause(error, 'NamespaceTerminating')) return 'none'
      if (!isAlreadyExists(error)) throw error
      if ((await ledgers.readLive(owner, { signal })) !== undefined) return 'there'
      logger.warn({ quota: key }, 'another object has the name of the ledger of a quota')
      return 'stuck'
    }
  }

  /**
   * Reports whether the name still belongs to this quota. Rejects as `KubeClient` does, also if no quota has the name.
   */
  async #exists(tracked: T, signal: AbortSignal): Promise<boolean> {
    const { client, kindOf } = this.#options
    const { namespace, name } = tracked.ref
    const { metadata } = await client.get<KubeObject>(kindOf(tracked), { namespace, name }, { signal })
    return metadata.uid === tracked.quota.metadata.uid
  }

  /** Puts back what somebody else changed of what the ledger says it belongs to. */
  async #mark(key: string, owner: LedgerOwner, signal: AbortSignal): Promise<void> {
    const { ledgers, logger } = this.#options
    const ledger = ledgers.get(owner)
    if (ledger === undefined || ledgers.isMarked(ledger, owner)) return
    logger.warn({ quota: key }, 'somebody else changed the owner or the label of the ledger of a quota')
    try {
      await ledgers.mark(ledger, owner, { signal })
    } catch (error) {
      // The newer version brings another look.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}
