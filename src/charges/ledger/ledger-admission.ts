import type { KubeObject } from '../../machinery/object.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import type { BudgetRef } from '../budget.ts'
import { GroupCommit } from '../group-commit.ts'
import { LedgerUnavailable } from './ledger-errors.ts'
import { LedgerMemory } from './ledger-memory.ts'
import type { LedgerOptions } from './ledger-options.ts'
import { LedgerPort, type LedgerRequest, type LedgerSnapshot } from './ledger-port.ts'
import type { Lowering } from './ledger-state.ts'
import { firstLedger, readLedger } from './ledger-status.ts'
import type { StoredLedger } from './ledger-store.ts'
import { withLowering } from './lowering.ts'
import { type ChargeRequest, isFree } from './reserve.ts'
import { tidied } from './tidied.ts'

/** One ledger, as the admission of one replica uses it. Its functions never block each other for longer than a write takes. */
export class LedgerAdmission {
  readonly ref: BudgetRef
  readonly #options: LedgerOptions
  readonly #memory: LedgerMemory
  readonly #commits: GroupCommit<LedgerRequest, LedgerSnapshot, StoredLedger>
  #waiting = 0

  constructor(options: LedgerOptions) {
    this.ref = options.ref
    this.#options = options
    this.#memory = new LedgerMemory(options)
    this.#commits = new GroupCommit(new LedgerPort(options, this.#memory))
  }

  /**
   * Reserves what a request costs, one charge for each amount and all with the same claim, so that it may be allowed. Rejects with LedgerRefused, with an ApiError 429 where it has to be
   * tried again, or with LedgerUnavailable; then nothing is reserved, or will not be for long. `deadline`: when the API server
   * stops to wait, by the clock of the options.
   */
  async reserve(charges: readonly ChargeRequest[], deadline: number): Promise<void> {
    await this.#commit(charges, deadline, false)
    if (this.#options.clock() < deadline) return
    for (const { claim } of charges) this.release(claim)
    throw tooManyRequests(`${this.ref.kind} "${this.ref.name}" took too long to write`, 1)
  }

  /** Decides a request as `reserve` does and reserves nothing. */
  async consult(charges: readonly ChargeRequest[], deadline: number): Promise<void> {
    await this.#commit(charges, deadline, true)
  }

  /** Gives back what was reserved for a request that is not allowed in the end. It is written with what is written next, or by `tidy`. */
  release(claim: string): void {
    this.#memory.release([claim])
    this.#options.onRelease?.()
  }

  async #commit(charges: readonly ChargeRequest[], deadline: number, dryRun: boolean): Promise<void> {
    const [first, ...others] = charges.filter((charge) => !isFree(charge))
    if (first === undefined) return
    this.#waiting++
    try {
      await this.#commits.commit('', requestOf([first, ...others], deadline, dryRun))
    } finally {
      this.#waiting--
    }
  }

  /**
   * Writes the first state of a ledger that allot has not written yet. `settling`: '' only where no ledger of the quota can have
   * allowed anything before, as right after the quota was created; else a text that no ledger had before. A ledger that somebody else
   * wrote is made again, and only closed. Says whether the ledger is written now, by whomever.
   */
  async open(settling: string): Promise<boolean> {
    const { store, views } = this.#options
    await views.catchUp(true)
    const stored = await store.readLive()
    const current = views.current()
    if (stored === undefined || current === undefined) return false
    const read = readLedger(stored.status)
    const isForeign = stored.isForeign === true
    if (isForeign && settling === '') return false
    if (!isForeign && read.type !== 'unwritten') return read.type === 'ledger'
    const reservations = isForeign || read.type !== 'unwritten' ? [] : read.reservations
    const written = await this.#memory.write(stored, firstLedger(reservations, current, settling))
    if (written instanceof LedgerUnavailable) throw written
    return written !== 'conflict'
  }

  /** Does the status show people what the ledger holds? True as well where it cannot be read. */
  get isShown(): boolean {
    const read = this.#memory.read()
    return read instanceof LedgerUnavailable || (this.#options.shows?.(read.stored.status, read.state) ?? true)
  }

  /**
   * Has all replicas go by lower limits before the update of the quota that lowers them is allowed: a replica that decides on an older ledger
   * cannot write it any more. Does nothing where there is no ledger to decide on. Rejects with an ApiError 429 where the ledger is
   * written too often, and with LedgerUnavailable.
   */
  async lower(lowering: Lowering, deadline: number): Promise<void> {
    const { store, ref, clock } = this.#options
    do {
      try {
        await store.readLive()
      } catch (error) {
        const message = `the ledger cannot be read: ${String(error)}`
        throw new LedgerUnavailable(ref, 'unreachable', message, { cause: error })
      }
      const read = this.#memory.read()
      if (read instanceof LedgerUnavailable) return
      if (clock() >= deadline) break
      const written = await this.#memory.write(read.stored, withLowering(read.state, lowering))
      if (written instanceof LedgerUnavailable) throw written
      if (written !== 'conflict') return
    } while (clock() < deadline)
    throw tooManyRequests(`${ref.kind} "${ref.name}" is written too often to lower its limit now`, 1)
  }

  /**
   * Writes what happens without requests: what was observed, what lapsed, what was released. To be called when counts or the
   * ledger have changed, and again after the milliseconds that it gives: undefined where nothing is outstanding. Any replica may
   * call it, and only one has to. Rejects with LedgerUnavailable.
   */
  async tidy(): Promise<number | undefined> {
    const { views, clock, patience, shows } = this.#options
    const read = this.#memory.read()
    if (read instanceof LedgerUnavailable) throw read
    const { sights } = this.#memory
    const until = clock() - patience
    const over = this.#memory.over()
    const { settling, lowering } = read.state
    const isSettled = settling !== '' && sights.isSettlingUntil(settling, until)
    const isLoweringOver = lowering !== undefined && sights.isLoweringUntil(lowering, until)
    const waited = sights.waitedUntil(read.state, until)
    const isEnded = over.size > 0 || isSettled || isLoweringOver || waited.size > 0
    // Objects that could be stored have been stored by now: after this the views show them.
    if (isEnded) await views.catchUp(true)
    const current = views.current()
    if (current === undefined)
      throw new LedgerUnavailable(this.ref, 'not counted', 'the objects that the quota counts are being listed')
    // Requests that wait take all of it along, unless they are refused.
    const isBusy = this.#waiting > 0 && !isEnded
    const tidy = tidied(read.state, current, { over, isSettled, isLoweringOver, waited })
    // In a quota of one namespace there is nobody to let ahead.
    const { waits } = this.ref.namespace === '' ? tidy : read.state
    const next = this.#memory.withoutReleased(waits === tidy.waits ? tidy : { ...tidy, waits })
    const isShown = shows?.(read.stored.status, next) ?? true
    if (next !== read.state || !isShown) {
      if (isBusy) return 0
      const written = await this.#memory.write(read.stored, next)
      if (written instanceof LedgerUnavailable) throw written
      if (written === 'conflict') return 0
    }
    const { earliest } = sights
    return earliest === undefined ? undefined : Math.max(0, earliest + patience - clock())
  }
}

function requestOf(charges: LedgerRequest['charges'], deadline: number, dryRun: boolean): LedgerRequest {
  const [{ kind, namespace, name, operation }] = charges
  return {
    charges,
    deadline,
    attributes: { group: '', resource: '', subresource: '', operation, name, namespace, object: NO_OBJECT, dryRun },
    target: { bucket: kind, key: `${namespace}/${name}` },
  }
}

/** A ledger measures nothing: requests come with what they cost. */
const NO_OBJECT: KubeObject = { apiVersion: '', kind: '', metadata: {} }
