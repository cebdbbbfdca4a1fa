import { isAlreadyExists, isConflict, isNotFound } from '../../machinery/status.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { stepOf } from '../../runtime/time/running-time.ts'
import { type Clock, NEVER_ABORTED, pause } from '../time/clock.ts'
import { withinTime } from '../time/deadline.ts'
import type { KubeClient, ObjectName } from '../client/kube-client.ts'
import { taken, durationMsOf, firstTaken, holderOf, type Lease, LEASES, recordOf, released } from './lease-record.ts'
import { linkedAbort } from '../time/linked-abort.ts'

/** All in milliseconds; client-go's defaults. `lease` > `renewDeadline` > `retryPeriod`. */
export interface LeaseTimes {
  /** For how long others leave a leader alone whom they do not see renewing. */
  readonly lease: number
  /** For how long a leader that cannot renew goes on, as long as it can try. */
  readonly renewDeadline: number
  readonly retryPeriod: number
}

export const LEASE_TIMES: LeaseTimes = { lease: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

export interface LeaderElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>
  readonly lease: ObjectName
  /** Of this process alone, as `leaseIdentity` makes it. */
  readonly identity: string
  readonly clock: Clock
  readonly logger: Logger
  readonly times?: LeaseTimes
  /** Others may have led before this process was there. A lease that is missing was deleted then, and its holder may go on. */
  readonly hadLeaders?: boolean
}

/** In place of the record of a lease that is not there. */
const GONE = 'gone'
const MISSING = 'somebody deleted the lease: it is taken when the leader before can no longer count on it'

/** Why a leader is none any more. */
export class LeadershipLost extends Error {
  constructor(why: string) {
    super(`leadership is lost: ${why}`)
    this.name = 'LeadershipLost'
  }
}

/** Whose lease it is; unique, so that a process never takes another's lease for its own. */
export const leaseIdentity = (hostname: string, uuid: string): string => `${hostname}_${uuid}`

/**
 * Campaigns for a Lease as client-go does and works while it holds it. Times are measured here, from the moment at which a
 * renewal was sent or seen; the clocks of two machines are never compared.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions
  readonly #times: LeaseTimes
  /** As it was written or read last. */
  #known: Lease | undefined
  /** As it was when it was there last. Its holder may count on it, although somebody has deleted it. */
  #last: Lease | undefined
  /** The record of the lease, and since when (monotonic) it has been the same. */
  #seen = { record: '', at: 0 }
  #leading = false
  /** When (monotonic) the last renewal that was done was sent. */
  #renewedAt = 0
  /** From when on (monotonic) the holder of the lease may lead. */
  #leadsFrom = 0

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#times = options.times ?? LEASE_TIMES
  }

  /** Is this process the leader at this very moment? True never before, and never longer than, the lease is its own. */
  get isLeader(): boolean {
    return this.#leading && this.#options.clock.monotonic() < this.#renewedAt + this.#times.lease
  }

  /** The holder of the lease when it was last read; '' for nobody. */
  get holder(): string {
    return holderOf(this.#known)
  }

  /**
   * Campaigns until the signal aborts, and calls `lead` each time it wins. The signal of `lead` aborts at once when leadership is lost or
   * given back. Others are let in, or the campaign goes on, only after `lead` has ended. When `lead` ends by itself, so does the run, and
   * an error of it is thrown.
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (await this.#acquire(signal)) {
      if (await this.#term(lead, signal)) return
    }
  }

  /** False when the signal aborted before. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    while (!signal.aborted) {
      if ((await this.#attempt(signal)) === 'held' && clock.monotonic() >= this.#leadsFrom) return true
      await pause(clock, this.#times.retryPeriod * (1 + 0.2 * clock.random()), signal)
    }
    return false
  }

  /** True when `lead` ended by itself. */
  async #term(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { logger, identity } = this.#options
    using link = linkedAbort(signal)
    const term = link.controller
    this.#leading = true
    logger.info({ identity }, 'became the leader')
    const keeping = Promise.all([this.#renew(term), this.#endAtDeadline(term)])
    let byItself = false
    try {
      await lead(term.signal)
      byItself = !term.signal.aborted
    } catch (error) {
      if (!term.signal.aborted) throw error
      if (error !== term.signal.reason) logger.warn({ error }, 'the work of the leader ended with an error')
    } finally {
      const lost = term.signal.reason instanceof LeadershipLost
      term.abort()
      await keeping
      this.#leading = false
      if (lost) logger.warn({ identity, error: term.signal.reason }, 'is no longer the leader')
      else await this.#release()
    }
    return byItself
  }

  async #renew(term: AbortController): Promise<void> {
    while (!term.signal.aborted) {
      await pause(this.#options.clock, this.#times.retryPeriod, term.signal)
      if (term.signal.aborted) return
      if ((await this.#attempt(term.signal)) === 'lost')
        term.abort(new LeadershipLost(`${this.holder || 'nobody'} holds the lease`))
    }
  }

  /**
   * Ends the term when the lease was not renewed in time, or as soon as others may take it. A process that stands still does not try to
   * renew, so a stall uses up only one step of that time.
   */
  async #endAtDeadline(term: AbortController): Promise<void> {
    const { clock } = this.#options
    const { lease, renewDeadline } = this.#times
    let renewedAt = this.#renewedAt
    let tried = clock.monotonic() - renewedAt
    while (!term.signal.aborted) {
      const left = Math.min(renewDeadline - tried, renewedAt + lease - clock.monotonic())
      if (left <= 0) {
        const seconds = (clock.monotonic() - renewedAt) / 1000
        term.abort(new LeadershipLost(`it could not be renewed for ${seconds.toFixed(1)} seconds`))
        return
      }
      const step = Math.min(left, stepOf(renewDeadline))
      await pause(clock, step, term.signal)
      if (this.#renewedAt === renewedAt) tried += step
      else {
        renewedAt = this.#renewedAt
        tried = Math.min(step, clock.monotonic() - renewedAt)
      }
    }
  }

  /** Takes or renews the lease: `lost` when it is another's, `failed` when that is not known. */
  async #attempt(signal: AbortSignal): Promise<'held' | 'lost' | 'failed'> {
    const { clock, logger, identity } = this.#options
    try {
      // One try must not use up all the time that there is for several.
      const held = await withinTime(clock, this.#times.renewDeadline / 2, signal, (signal) => this.#take(signal))
      return held ? 'held' : 'lost'
    } catch (error) {
      if (!this.#leading) this.#known = undefined
      // Somebody may have taken it, and lost it again, while nobody here looked.
      if (this.#seen.record === GONE) this.#seen = { record: '', at: 0 }
      if (!signal.aborted)
        logger.warn({ identity, error }, 'the lease could not be taken or renewed, and is tried again')
      return 'failed'
    }
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    // The leader knows the lease from its last renewal, and reads it only after a conflict.
    if (!this.#leading) await this.#read(signal)
    try {
      return await this.#write(signal)
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error
      await this.#read(signal)
      return await this.#write(signal)
    }
  }

  async #write(signal: AbortSignal): Promise<boolean> {
    const { client, clock, logger, identity, lease } = this.#options
    const known = this.#known
    if (known === undefined && !this.#leading && !this.#isForgotten()) return false
    if (known !== undefined && holderOf(known) !== identity && (this.#leading || !this.#isFree(known))) return false
    const seconds = Math.ceil(this.#times.lease / 1000)
    const began = clock.monotonic()
    // Nobody sees whether another made a missing lease, and lost it again, between two looks: it may count on that for so long.
    const isUncertain = known === undefined && (this.#last !== undefined || this.#options.hadLeaders === true)
    const leadsFrom = isUncertain ? began + this.#times.lease : holderOf(known) === identity ? this.#leadsFrom : began
    const written =
      known === undefined
        ? await client.create(LEASES, firstTaken(lease, identity, seconds, clock.now()), { signal })
        : await client.update(LEASES, taken(known, identity, seconds, clock.now()), { signal })
    // API servers also create one that is updated and not there.
    if (this.#leading && known?.metadata.uid !== written.metadata.uid)
      logger.warn({ lease: lease.name }, 'somebody deleted the lease: the leader makes it again and goes on')
    this.#known = written
    this.#last = written
    this.#seen = { record: recordOf(written), at: clock.monotonic() }
    this.#leadsFrom = leadsFrom
    this.#renewedAt = began
    return true
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, clock, lease } = this.#options
    try {
      this.#known = await client.get<Lease>(LEASES, lease, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
      this.#known = undefined
      // Its holder may have renewed it until just now.
      if (this.#seen.record !== GONE) this.#foundGone()
      return
    }
    this.#last = this.#known
    const record = recordOf(this.#known)
    if (record !== this.#seen.record) this.#seen = { record, at: clock.monotonic() }
  }

  #foundGone(): void {
    const { clock, logger, lease, hadLeaders } = this.#options
    this.#seen = { record: GONE, at: clock.monotonic() }
    if (this.#last === undefined && !this.#leading && hadLeaders === true)
      logger.warn({ lease: lease.name, seconds: this.#times.lease / 1000 }, MISSING)
  }

  /** Has a lease been missing for so long that nobody counts on it any more? */
  #isForgotten(): boolean {
    if (this.#last !== undefined) return this.#isFree(this.#last)
    const { clock, hadLeaders } = this.#options
    return hadLeaders !== true || clock.monotonic() >= this.#seen.at + this.#times.lease
  }

  #isFree(lease: Lease): boolean {
    return holderOf(lease) === '' || this.#options.clock.monotonic() >= this.#seen.at + durationMsOf(lease)
  }

  /** Best effort: a lease that cannot be released expires. */
  async #release(): Promise<void> {
    const { clock, logger, identity } = this.#options
    try {
      await withinTime(clock, this.#times.renewDeadline / 2, NEVER_ABORTED, async (signal) => {
        try {
          await this.#giveBack(signal)
        } catch (error) {
          // A renewal that was under way when the end came may have been done after all.
          if (!isConflict(error)) throw error
          await this.#read(signal)
          await this.#giveBack(signal)
        }
      })
      logger.info({ identity }, 'released the lease')
    } catch (error) {
      logger.debug({ identity, error }, 'the lease could not be given back')
    }
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const { client, clock, identity } = this.#options
    const known = this.#known
    if (known !== undefined && holderOf(known) === identity)
      this.#known = await client.update(LEASES, released(known, clock.now()), { signal })
  }
}
