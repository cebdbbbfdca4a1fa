import { tooManyRequests } from '../../../machinery/status.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { GroupCommit } from '../../../charges/group-commit.ts'
import type { OnCharged, UsageStep } from './admit-all.ts'
import { advancedIn } from './advance.ts'
import { isDecidable, isOnlyNewer } from './fold.ts'
import { ADVANCE_MS } from './ledger-ahead.ts'
import { LedgerUnavailable, RoomHeldAhead } from './ledger-errors.ts'
import { isShort, LEDGER_BOUNDS, sizeOfRequest } from './ledger-size.ts'
import type { LedgerOptions } from './ledger-options.ts'
import { type LedgerBatch, LedgerPort, type LedgerRequest, type LedgerSnapshot } from './ledger-port.ts'
import { type LedgerState, type Lowering, outstandingIn } from './ledger-state.ts'
import { NAMESPACE_SHARE } from './namespace-share.ts'
import { firstLedger } from './ledger-status.ts'
import { withLowering } from './lowering.ts'
import { type ChargeRequest, isFree } from './reserve.ts'
import { ReplicaLedger } from './replica-ledger.ts'
import { reconciled } from './reconciled.ts'
import { closedForWidening, isForWidening } from './widening.ts'

/** A ledger that decides nothing for a while. */
export interface Closure {
  /** Was the spec of the quota widened? Else the ledger was lost. */
  readonly isForWidening: boolean
  /** For how many milliseconds more, as this replica measures. */
  readonly leftMs: number
}

/** One ledger, as the admission of one replica uses it. No function blocks another one for longer than a write. */
export class LedgerAdmission {
  readonly ref: BudgetRef
  readonly #options: LedgerOptions
  readonly #ledger: ReplicaLedger
  readonly #commits: GroupCommit<LedgerRequest, LedgerSnapshot, LedgerBatch, UsageStep>
  #waiting = 0
  #isRenewing = false

  constructor(options: LedgerOptions) {
    this.ref = options.ref
    this.#options = options
    this.#ledger = new ReplicaLedger(options)
    this.#commits = new GroupCommit(new LedgerPort(options, this.#ledger))
  }

  /**
   * Reserves the cost of a request, so that it may be allowed. There is one charge for each amount, and all have the
   * same id. Rejects with LedgerRefused, with an ApiError 429 if the request must be tried again, or with
   * LedgerUnavailable. Then nothing stays reserved for long. `deadline`: when the API server stops waiting, by the
   * clock of the options. `onCharged`: called with the usage of the decision.
   */
  async reserve(charges: readonly ChargeRequest[], deadline: number, onCharged?: OnCharged): Promise<void> {
    const usage = await this.#commit(charges, deadline, false)
    if (this.#options.clock() < deadline) {
      if (usage !== undefined) onCharged?.(usage)
      return
    }
    for (const { id } of charges) this.release(id)
    throw tooManyRequests(`${this.ref.kind} "${this.ref.name}" took too long to write`, 1)
  }

  /**
   * Allows a request at once on the advance of this replica. Returns false if it must be reserved. The next write names
   * the request in the ledger.
   */
  reserveAhead(charges: readonly ChargeRequest[], onCharged?: OnCharged): boolean {
    const ahead = this.#ledger.ahead
    const [charge, ...others] = charges.filter((one) => !isFree(one))
    if (ahead === undefined || charge === undefined || others.length > 0) return false
    const fitted = ahead.fitted(charge)
    if (fitted === undefined) return false
    const { views, share = NAMESPACE_SHARE, bounds = LEDGER_BOUNDS } = this.#options
    const read = this.#ledger.read()
    const current = views.current()
    if (read instanceof LedgerUnavailable || current === undefined) return false
    const { state } = read
    const { namespace } = charge
    // In any other state the request is decided on the ledger.
    const isPlain = state.settling === '' && state.lowering === undefined && isDecidable(state, current)
    const { outstanding = '' } = read.stored.status ?? {}
    if (!isShort(outstanding.length + ahead.size + sizeOfRequest(charge), bounds)) return false
    const isTrusted = !state.lapses.has(namespace) && !state.waits.has(namespace)
    const isWithinShare = (): boolean => outstandingIn(state, namespace) + ahead.countIn(namespace) < share
    if (!isPlain || !isTrusted || !isWithinShare()) return false
    const before = this.#ledger.balanceIn(read.stored)
    if (!ahead.take(state, charge, fitted)) return false
    onCharged?.({ before, after: this.#ledger.balanceIn(read.stored) })
    if (ahead.isDue) void this.#renew()
    return true
  }

  /** Names in the ledger what was allowed ahead, beside the requests that wait for it. Where it fails, requests are reserved as ever. */
  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    try {
      await this.#commits.commit('', renewal(this.#options.clock() + ADVANCE_MS))
    } catch {
      // The next request that is reserved has the reason.
    } finally {
      this.#isRenewing = false
    }
  }

  /**
   * The amount that is counted and reserved for requests, as this replica last read or wrote it. The unused part of its
   * advance is left out. Undefined if the ledger cannot be read.
   */
  get balance(): Quantity | undefined {
    return this.#ledger.balance
  }

  /** The content of the ledger, as this replica last read or wrote it. Undefined if nothing can be decided on it. */
  get state(): LedgerState | undefined {
    const read = this.#ledger.read()
    return read instanceof LedgerUnavailable ? undefined : read.state
  }

  /** Gives back what is held ahead; the process ends. Rejects with LedgerUnavailable. */
  async end(): Promise<void> {
    if (this.#ledger.ahead?.end() === true) await this.reconcile()
  }

  /** Decides a request as `reserve` does and reserves nothing. */
  async consult(charges: readonly ChargeRequest[], deadline: number, onCharged?: OnCharged): Promise<void> {
    await this.#commit(charges, deadline, true)
    const { balance } = this
    if (balance !== undefined) onCharged?.({ before: balance, after: balance })
  }

  /** Gives back what was reserved for a request that is not allowed in the end. It is written with what is written next, or by `reconcile`. */
  release(id: string): void {
    this.#ledger.ahead?.release(id)
    this.#ledger.release([id])
    this.#options.onRelease?.()
  }

  async #commit(charges: readonly ChargeRequest[], deadline: number, dryRun: boolean): Promise<UsageStep | undefined> {
    const charged = charges.filter((charge) => !isFree(charge))
    if (charged.length === 0) return undefined
    this.#waiting++
    try {
      return await this.#commitInTime({ charges: charged, deadline, dryRun, target: targetOf(charged) })
    } finally {
      this.#waiting--
    }
  }

  /** Commits a request. If only advances of other replicas are in the way, it waits until these give them back. */
  async #commitInTime(request: LedgerRequest): Promise<UsageStep | undefined> {
    const { clock, ahead } = this.#options
    const until = Math.min(clock() + MOST_HELD_MS, request.deadline - HELD_STEP_MS)
    for (;;)
      try {
        return await this.#commits.commit('', request)
      } catch (error) {
        if (!(error instanceof RoomHeldAhead) || ahead === undefined || clock() >= until) throw error
        await ahead.sleep(HELD_STEP_MS)
      }
  }

  /**
   * Writes the first state of a ledger that allot has not written yet. `settling` is '' only if no ledger of the quota
   * can have allowed anything before, as right after its creation. Otherwise it is a text that no ledger had before. A
   * ledger that somebody else wrote is replaced by a closed one. Returns whether the ledger is written now, by any
   * replica.
   */
  async open(settling: string): Promise<boolean> {
    const { store, views } = this.#options
    await views.catchUp(true)
    const stored = await store.readLive()
    const current = views.current()
    if (stored === undefined || current === undefined) return false
    const read = this.#ledger.contentOf(stored)
    const isForeign = stored.isForeign === true
    if (isForeign && settling === '') return false
    if (!isForeign && read.type !== 'unwritten') return read.type === 'ledger'
    const reservations = isForeign || read.type !== 'unwritten' ? [] : read.reservations
    const written = await this.#ledger.put(stored, firstLedger(reservations, current, settling))
    if (written instanceof LedgerUnavailable) throw written
    return written !== 'conflict'
  }

  /** Why the ledger decides nothing for a while; undefined where it decides, or cannot be read. */
  get closure(): Closure | undefined {
    const read = this.#ledger.read()
    if (read instanceof LedgerUnavailable || read.state.settling === '') return undefined
    const { settling } = read.state
    const { clock, patience } = this.#options
    const leftMs = Math.max(0, this.#ledger.firstSeen.settlingSince(settling) + patience - clock())
    return { isForWidening: isForWidening(settling), leftMs }
  }

  /**
   * Reports whether the ledger holds something that time alone may end. That is a reservation, a closure, a lowering, or
   * a namespace that waits. False as well where it cannot be read.
   */
  get isOutstanding(): boolean {
    const read = this.#ledger.read()
    if (read instanceof LedgerUnavailable) return false
    const { names, advances, settling, lowering, waits } = read.state
    const isWaiting = waits.values().some(({ rounds }) => rounds > 0)
    return names.size > 0 || advances.size > 0 || settling !== '' || lowering !== undefined || isWaiting
  }

  /** Reports whether the status shows the content of the ledger. Also true if the ledger cannot be read. */
  get isShown(): boolean {
    const read = this.#ledger.read()
    return read instanceof LedgerUnavailable || (this.#options.shows?.(read.stored.status, read.state) ?? true)
  }

  /**
   * Makes all replicas use lower limits before the update that lowers them is allowed. A replica that decides on an
   * older ledger cannot write it any more. Does nothing without a ledger to decide on. Rejects with an ApiError 429 if
   * the ledger is written too often, and with LedgerUnavailable.
   */
  async lower(lowering: Omit<Lowering, 'since'>, deadline: number): Promise<void> {
    await this.#writeLowering(lowering, deadline, withLowering)
  }

  /**
   * Makes all replicas use these limits instead of those of an earlier lowering. For quotas whose specs have no
   * generation: there the caller knows which limits are the last. Rejects as `lower` does.
   */
  async holdTo(lowering: Omit<Lowering, 'since'>, deadline: number): Promise<void> {
    await this.#writeLowering(lowering, deadline, (state, last) => ({ ...state, lowering: last }))
  }

  async #writeLowering(
    lowering: Omit<Lowering, 'since'>,
    deadline: number,
    lowered: (state: LedgerState, lowering: Lowering) => LedgerState,
  ): Promise<void> {
    const { store, ref, clock, ahead } = this.#options
    do {
      try {
        await store.readLive()
      } catch (error) {
        const message = `the ledger cannot be read: ${String(error)}`
        throw new LedgerUnavailable(ref, 'unreachable', message, { cause: error })
      }
      const read = this.#ledger.read()
      if (read instanceof LedgerUnavailable) return
      if (clock() >= deadline) break
      const state = lowered(read.state, { ...lowering, since: read.stored.version })
      const written = await this.#ledger.put(read.stored, state)
      if (written instanceof LedgerUnavailable) throw written
      if (written === 'conflict') continue
      // Other replicas use what they hold ahead for so long without a look at the ledger.
      if (ahead !== undefined && advancedIn(read.state).sign() > 0) await ahead.sleep(ADVANCE_MS)
      if (clock() < deadline) return
    } while (clock() < deadline)
    throw tooManyRequests(`${ref.kind} "${ref.name}" is written too often to lower its limit now`, 1)
  }

  /**
   * Writes what happens without requests: what was observed, lapsed or released. To be called when counts or the ledger
   * have changed, and again after the returned milliseconds; undefined if nothing is outstanding. Any replica may call
   * it, and one is enough. `mayClose`: see `reconciled`. Rejects with LedgerUnavailable.
   */
  async reconcile(mayClose = false): Promise<number | undefined> {
    const { views, clock, patience, shows } = this.#options
    const read = this.#ledger.read()
    if (read instanceof LedgerUnavailable) throw read
    const { firstSeen } = this.#ledger
    const until = clock() - patience
    const over = this.#ledger.over()
    const { settling, lowering } = read.state
    const isSettled = settling !== '' && firstSeen.settlingSince(settling) <= until
    const isLoweringOver = lowering !== undefined && firstSeen.isLoweringUntil(lowering, until)
    const waited = firstSeen.waitedUntil(read.state, until)
    const isEnded = over.size > 0 || isSettled || isLoweringOver || waited.size > 0
    // Objects that could be stored have been stored by now: after this the views show them.
    if (isEnded) {
      await views.catchUp(true)
      const now = this.#ledger.read()
      // Somebody has written meanwhile, so a write on what was read would be in vain.
      if (now instanceof LedgerUnavailable || now.stored.version !== read.stored.version) return 0
    }
    const current = views.current()
    if (current === undefined)
      throw new LedgerUnavailable(this.ref, 'not counted', 'the objects that the quota counts are being listed')
    // Requests that wait take all of it along, unless they are refused.
    const isBusy = this.#waiting > 0 && !isEnded && !(mayClose && closedForWidening(read.state, current) !== read.state)
    const after = reconciled(read.state, current, { over, isSettled, isLoweringOver, waited }, mayClose)
    // In a quota of one namespace there is nobody to let ahead.
    const { waits } = this.ref.namespace === '' ? after : read.state
    const next = this.#ledger.seen(read.stored, waits === after.waits ? after : { ...after, waits }, current)
    const isShown = shows?.(read.stored.status, next.state) ?? true
    if (!isOnlyNewer(read.state, next.state) || !isShown) {
      if (isBusy) return 0
      const written = await this.#ledger.write(next)
      if (written instanceof LedgerUnavailable) throw written
      if (written === 'conflict') return 0
    }
    const { earliest } = firstSeen
    return earliest === undefined ? undefined : Math.max(0, earliest + patience - clock())
  }
}

/** How long a request waits at most for what other replicas hold ahead, and in which steps. They give it back within two seconds. */
const MOST_HELD_MS = 3_000
const HELD_STEP_MS = 50

/** The object that all charges of a request are for. */
function targetOf([charge]: readonly ChargeRequest[]): LedgerRequest['target'] {
  const { kind = '', namespace = '', name = '' } = charge ?? {}
  return { bucket: kind, key: `${namespace}/${name}` }
}

/** Has the ledger written without a request of a client. No object has an empty kind, so it waits for none. */
const renewal = (deadline: number): LedgerRequest => ({
  charges: [],
  deadline,
  dryRun: false,
  target: { bucket: '', key: 'renewal' },
})
