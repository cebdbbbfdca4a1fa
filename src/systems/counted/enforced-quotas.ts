import type { OperatorContext } from '../../operator/system.ts'
import type { AnsweredHook } from '../../operator/shell/registered-webhooks.ts'
import type { QuotaAsking, QuotaCharging, QuotaLedgering } from './adapter.ts'
import type { CountedQuota } from './counted-quota.ts'
import { quotaHandler, type QuotaHandlerOptions } from './quota-handler.ts'
import { QuotaLedgers, type QuotaLedgersOptions } from './quota-ledgers.ts'
import { QuotaRules } from './quota-rules.ts'
import type { QuotaTracker } from './quota-tracker.ts'
import { FormerLedgers, type FormerLedgersOptions } from './replica/former-ledgers.ts'
import { QuantityLedgerStore } from './replica/quantity-ledger-store.ts'
import type { LedgerCache } from './replica/ledger-cache.ts'
import type { LedgerOwner } from './replica/ledger-name.ts'
import { LedgerKeeper } from './replica/ledger-keeper.ts'
import { LostLedgers } from './replica/lost-ledgers.ts'
import { patienceOf } from './replica/patience.ts'

interface Enforced<T extends CountedQuota>
  extends Pick<QuotaHandlerOptions, 'foresight' | 'others'>, Pick<FormerLedgersOptions, 'shareObjects'> {
  readonly context: OperatorContext
  readonly tracker: QuotaTracker<T>
  readonly ledgering: QuotaLedgering<T>
  readonly asking: QuotaAsking<T>
  readonly chargingOf: (ledgers: QuotaLedgers<T>) => QuotaCharging
  /**
   * Reports whether requests may have been allowed on an earlier ledger of the quota. Left out: if an earlier ledger
   * was seen.
   */
  readonly hasAllowed?: (tracked: T) => boolean
  /** Gives what answers the webhook; left out: the handler itself. */
  readonly answers?: (handle: AnsweredHook['handle']) => AnsweredHook['handle']
  /** How long an API server goes on with a request at most, in milliseconds. */
  readonly requestTimeoutMs: number
}

/** Ledgers are QuantityLedgers, or stand in their quotas. */
type Stored<T extends CountedQuota> =
  | { readonly cache: LedgerCache; readonly storeOf?: undefined }
  | { readonly cache?: undefined; readonly storeOf: QuotaLedgersOptions<T>['storeOf'] }

/** Quotas that refuse requests: their ledgers, the handler of the webhook and its rules, on every replica. */
export class EnforcedQuotas<T extends CountedQuota> {
  readonly ledgers: QuotaLedgers<T>
  readonly keeper: LedgerKeeper<T>
  readonly rules: QuotaRules<T>

  constructor(options: Enforced<T> & Stored<T>) {
    const { context, tracker, ledgering, asking, chargingOf, requestTimeoutMs, cache } = options
    const { client, clock, webhooks, logger, exempt } = context
    const storeOf =
      cache === undefined ? options.storeOf : (_: T, owner: LedgerOwner) => new QuantityLedgerStore(cache, owner, clock)
    const ledgers = new QuotaLedgers<T>({ context, tracker, ledgering, storeOf, requestTimeoutMs })
    const former = new FormerLedgers({
      ledgers: cache ?? {
        onGone: (handler) => tracker.onGone(({ key, quota }) => handler(key, quota['status'] as never)),
      },
      clock,
      patience: patienceOf(requestTimeoutMs),
      ...(options.shareObjects && { shareObjects: options.shareObjects }),
    })
    const lost = new LostLedgers(context)
    const hasAllowed = options.hasAllowed ?? (({ hasHadLedger }: T): boolean => hasHadLedger)
    const placeOf = (tracked: T): string => cache?.placeKey(ledgers.ownerOf(tracked)) ?? tracked.key
    this.ledgers = ledgers
    this.keeper = new LedgerKeeper<T>({
      logger,
      tracker,
      ...(cache && { ledgers: cache }),
      admissions: ledgers,
      hasAllowed: (tracked) =>
        hasAllowed(tracked) || former.mayStillStore(placeOf(tracked), ledgers.of(tracked).views.current()),
      onLost: (tracked, leftMs) => lost.report({ ...tracked.quota, ...ledgers.ownerOf(tracked) }, leftMs),
    })
    const { foresight, others, answers = (handle) => handle } = options
    const handle = answers(
      quotaHandler({
        client,
        clock,
        charging: chargingOf(ledgers),
        ...(foresight && { foresight }),
        ...(others && { others }),
      }),
    )
    this.rules = new QuotaRules({ tracker, asking, webhooks, clock, handle, exempt })
  }

  /** Ends the ledgers and what is done for them. The tracker goes on. */
  async stop(): Promise<void> {
    this.rules.stop()
    await this.keeper.stop()
    await this.ledgers.end()
  }
}
