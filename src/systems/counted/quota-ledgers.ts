import { NEVER_ABORTED, pause } from '../../kube/time/clock.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { OperatorContext } from '../../operator/system.ts'
import type { QuotaLedgering, WrittenLedger } from './adapter.ts'
import { type CountedQuota, ownerOf } from './counted-quota.ts'
import { LedgerAdmission } from './protocol/ledger-admission.ts'
import { LEDGER_AMOUNT } from './protocol/ledger-budget.ts'
import { type LedgerState, totalsOf } from './protocol/ledger-state.ts'
import type { LedgerStore } from './protocol/ledger-store.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { QuotaTracker } from './quota-tracker.ts'
import { QuotaViews } from './quota-views.ts'
import { newInstanceId } from './replica/instance-id.ts'
import type { LedgerOwner } from './replica/ledger-name.ts'
import { patienceOf } from './replica/patience.ts'

export interface QuotaLedgersOptions<T extends CountedQuota> {
  readonly context: Pick<OperatorContext, 'client' | 'clock'>
  readonly tracker: QuotaTracker<T>
  readonly ledgering: QuotaLedgering<T>
  /** Where the ledger of a quota is stored. */
  readonly storeOf: (tracked: T, owner: LedgerOwner) => LedgerStore
  /** How long an API server goes on with a request at most, in milliseconds. */
  readonly requestTimeoutMs: number
}

/** The ledger of one quota, as this replica uses it. */
export interface QuotaLedger<T extends CountedQuota> {
  readonly uid: string | undefined
  readonly admission: LedgerAdmission
  readonly views: QuotaViews<T>
  readonly store: LedgerStore
}

/** How long a process that ends tries to give back what it reserved ahead. */
const END_MS = 2_000

/** The ledgers of all quotas that were asked for, each once. */
export class QuotaLedgers<T extends CountedQuota> {
  readonly #options: QuotaLedgersOptions<T>
  readonly #known = new Map<string, QuotaLedger<T>>()
  /** Names this process in the ledgers that it reserves room in ahead of requests. */
  readonly #instanceId = newInstanceId()

  constructor(options: QuotaLedgersOptions<T>) {
    const { tracker } = options
    this.#options = options
    tracker.onChange((key) => {
      if (tracker.get(key) === undefined) this.#known.delete(key)
    })
  }

  /** The ledger of a quota: the same one for as long as it is the same quota. It knows what it has to release, whatever the quota counts by now. */
  of(tracked: T): QuotaLedger<T> {
    const { key, quota } = tracked
    const known = this.#known.get(key)
    if (known !== undefined && known.uid === quota.metadata.uid) return known
    const made = this.#make(tracked)
    this.#known.set(key, made)
    return made
  }

  /** The object that the ledger of a quota belongs to. */
  ownerOf(tracked: T): LedgerOwner {
    return ownerOf(tracked, this.#options.ledgering.kindOf(tracked))
  }

  /** How much of each limit a ledger counts and has reserved, as this replica knows it; undefined where there is nothing to read. */
  totalsOf(tracked: T): ResourceList | undefined {
    const { state } = this.of(tracked).admission
    const { amountOf = () => LEDGER_AMOUNT } = this.#options.ledgering.options
    return state === undefined ? undefined : totalsOf(state, amountOf)
  }

  /**
   * Gives back the advances when this process ends. An advance that cannot be given back in time lapses, as after a
   * crash.
   */
  async end(): Promise<void> {
    const { clock } = this.#options.context
    const ended = Promise.allSettled(this.#known.values().map(({ admission }) => admission.end()))
    const inTime = new AbortController()
    await Promise.race([ended, pause(clock, END_MS, inTime.signal)])
    inTime.abort()
  }

  #make(tracked: T): QuotaLedger<T> {
    const { context, tracker, ledgering, storeOf, requestTimeoutMs } = this.#options
    const { client, clock } = context
    const { key, ref, quota } = tracked
    const patience = patienceOf(requestTimeoutMs)
    const store = storeOf(tracked, this.ownerOf(tracked))
    const views = new QuotaViews({
      client,
      tracker,
      ledgering,
      readLive: () => store.readLive(),
      state: () => admission.state,
      key,
    })
    const limits = (): ResourceList => {
      const current = tracker.get(key)
      return current === undefined ? {} : ledgering.limitsOf(current)
    }
    const written = (state: LedgerState): WrittenLedger => {
      const [now, expiresAt] = [timestamp(clock.now()), timestamp(clock.now() + patience)]
      return { key, ref, limits: limits(), state, now, expiresAt }
    }
    const admission: LedgerAdmission = new LedgerAdmission({
      ...ledgering.options,
      ref,
      store,
      views,
      limits,
      clock: clock.monotonic,
      statusOf: (state, old) => ledgering.statusOf(written(state), old),
      ...(ledgering.shows && {
        shows: (status, state) => ledgering.shows?.(status, { state, limits: limits() }) !== false,
      }),
      onRelease: () => tracker.noteChange(key),
      patience,
      ...(ledgering.holdsAhead === true && {
        ahead: { owner: this.#instanceId, sleep: (ms: number) => clock.sleep(ms, NEVER_ABORTED) },
      }),
    })
    return { uid: quota.metadata.uid, admission, views, store }
  }
}
