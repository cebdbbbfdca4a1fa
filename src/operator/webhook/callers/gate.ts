import { type Clock, pause } from '../../../kube/time/clock.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { CallerCheck } from '../../../runtime/admission/caller-check.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { type CallerVerdict, ProvenCallers } from './proven.ts'
import { type ProbeTickets, TICKET_ANNOTATION } from './probe-tickets.ts'

/** A caller waits no longer: the rest of a webhook's time is for the review. */
const PATIENCE_MS = 4_000
/** The most callers that may wait. Connections of strangers are also bounded by address. */
const MOST_WAITING = 1024
/** A stranger's address is refused at once for so long, unless a probe comes from it. */
const STRANGER_MS = 15_000
const MOST_STRANGERS = 1000
/** How many probes are under way at a time, at most, and in how many rounds. */
const MOST_AT_ONCE = 8
const MOST_ROUNDS = 14
/** Between rounds while API servers get no answers of the webhooks. */
const NO_ANSWER_MS = 250
/** Strangers can have the operator probe so often: between the rounds for some callers and for others. */
const REST_MS = 1_000
const LONG_REST_MS = 15_000
/** Proofs are renewed so often: probes reach one API server and one replica at a time, by chance. */
const RENEW_MS = 30_000
/** So often a replica that starts tries to learn all addresses before anybody asks. */
const MOST_TRIES = 10
const LOG_AGAIN_MS = 60_000
const ADVICE =
  'if it is an API server, start allot with --webhook-callers=any and let nothing but API servers reach this port, by a NetworkPolicy or --webhook-client-ca'

export interface CallerGateOptions {
  readonly tickets: Pick<ProbeTickets, 'use'>
  readonly isProbe: (request: AdmissionRequest) => boolean
  /** Sends a probe with a ticket to an API server, whichever; false where it got no answer of the webhooks. */
  readonly probe: (signal: AbortSignal) => Promise<boolean>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
  /**
   * The consecutive probes from known addresses that prove all addresses known. Left out: enough for several API
   * servers.
   */
  readonly enough?: number | undefined
  /** Called when a caller is answered that nobody can tell from a stranger. */
  readonly onUnprovable: () => void
}

interface Waiting {
  readonly address: string
  /** How many probes had arrived when it came. */
  readonly from: number
  readonly resolve: (verdict: CallerVerdict) => void
}

/**
 * Lets reviews in from addresses that probes have come from. A review from another address waits while the operator probes: either a probe comes from
 * there, or enough others come from elsewhere. Where probes prove nothing everybody is let in.
 */
export class CallerGate implements CallerCheck {
  readonly #options: CallerGateOptions
  readonly #callers: ProvenCallers
  readonly #waiting = new Set<Waiting>()
  /** Until when each address is refused at once, the oldest first. */
  readonly #strangers = new Map<string, number>()
  readonly #abort = new AbortController()
  #probing: Promise<void> | undefined
  #restUntil = -Infinity
  /** Probes prove nothing: nobody waits for them, unless they do after all. */
  #isUnprovable = false
  #loggedAt = -Infinity
  #triesLeft = 0
  #renewing: Promise<void> = Promise.resolve()

  constructor(options: CallerGateOptions) {
    this.#options = options
    this.#callers = new ProvenCallers(options.enough)
  }

  /** Renews proofs until it is stopped. Where there may be several API servers, it learns their addresses before strangers ask. */
  start(): void {
    this.#renewing = this.#renew()
    if (this.#options.enough === 1) return
    this.#triesLeft = MOST_TRIES
    this.#probe()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await Promise.all([this.#probing, this.#renewing])
  }

  /** Reports whether strangers are refused. They are accepted until enough probes have come from known addresses. */
  get refusesStrangers(): boolean {
    return this.#callers.areAllKnown(this.#now)
  }

  /** The number of addresses that are taken for those of API servers. */
  get provenAddresses(): number {
    return this.#callers.count(this.#now)
  }

  isProven(address: string): boolean {
    return this.#callers.isProven(address, this.#now)
  }

  isProbe(request: AdmissionRequest, address: string, webhook: string): boolean {
    const { tickets, isProbe } = this.#options
    if (!isProbe(request)) return false
    const ticket = request.object?.metadata.annotations?.[TICKET_ANNOTATION]
    const use = ticket === undefined ? undefined : tickets.use(ticket, webhook)
    if (use !== undefined) this.#arrived(address, use === 'further')
    return true
  }

  async admits(address: string, withinMs: number, left: AbortSignal): Promise<boolean> {
    if (this.isProven(address)) return true
    if ((this.#strangers.get(address) ?? 0) > this.#now) return false
    const areAllKnown = this.#callers.areAllKnown(this.#now)
    this.#probe()
    if (this.#isUnprovable && !areAllKnown) return this.#letIn(address)
    if (this.#waiting.size >= MOST_WAITING) return areAllKnown ? false : this.#letIn(address)
    const verdict = await this.#decided(address, Math.min(withinMs, PATIENCE_MS), left)
    // An address that had no time is no stranger's: clients choose the time of their writes.
    if (verdict === 'stranger') this.#remember(address)
    if (verdict === 'stranger' || verdict === 'late') return this.#refuse(address)
    if (verdict === 'proven' || left.aborted) return verdict === 'proven'
    this.#isUnprovable = true
    return this.#letIn(address)
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  #arrived(address: string, isFurther: boolean): void {
    this.#callers.arrived(address, this.#now, isFurther)
    this.#strangers.delete(address)
    if (this.#callers.areAllKnown(this.#now)) {
      this.#isUnprovable = false
      this.#triesLeft = 0
    }
    for (const waiting of this.#waiting) this.#look(waiting, false)
  }

  #look({ address, from, resolve }: Waiting, isOver: boolean): void {
    const verdict = this.#callers.verdict(address, from, this.#now, isOver)
    if (verdict !== undefined) resolve(verdict)
  }

  async #decided(address: string, withinMs: number, left: AbortSignal): Promise<CallerVerdict> {
    const over = new AbortController()
    const ends = AbortSignal.any([left, over.signal, this.#abort.signal])
    const { promise, resolve } = Promise.withResolvers<CallerVerdict>()
    const waiting = { address, from: this.#callers.probes, resolve }
    this.#waiting.add(waiting)
    void pause(this.#options.clock, withinMs, ends).then(() => this.#look(waiting, true))
    try {
      return await promise
    } finally {
      this.#waiting.delete(waiting)
      over.abort()
    }
  }

  #remember(address: string): void {
    this.#strangers.delete(address)
    this.#strangers.set(address, this.#now + STRANGER_MS)
    const [oldest] = this.#strangers.keys()
    if (this.#strangers.size > MOST_STRANGERS && oldest !== undefined) this.#strangers.delete(oldest)
  }

  #refuse(address: string): false {
    this.#log(address, 'a review was turned away: it came from an address from which no API server has sent a probe')
    return false
  }

  #letIn(address: string): true {
    this.#options.onUnprovable()
    this.#log(
      address,
      'reviews are answered wherever they come from: probes do not show which addresses API servers have',
    )
    return true
  }

  /** One line a minute, however many ask. */
  #log(address: string, message: string): void {
    if (this.#now - this.#loggedAt < LOG_AGAIN_MS) return
    this.#loggedAt = this.#now
    this.#options.logger.warn({ address, advice: ADVICE }, message)
  }

  /** Probes for all who wait, unless it does already. */
  #probe(): void {
    if (this.#abort.signal.aborted) return
    this.#probing ??= this.#probeInRounds().finally(() => {
      this.#probing = undefined
      if (this.#waiting.size > 0 || this.#triesLeft-- > 0) this.#probe()
    })
  }

  async #probeInRounds(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#abort
    await pause(clock, Math.max(0, this.#restUntil - this.#now), signal)
    const before = this.#callers.count(this.#now)
    for (let round = 0; round < MOST_ROUNDS && this.#isWanted && !signal.aborted; round++) {
      const probes = Array.from({ length: Math.min(2 ** round, MOST_AT_ONCE) }, () => this.#options.probe(signal))
      const answered = await Promise.all(probes)
      if (!answered.includes(true)) await pause(clock, NO_ANSWER_MS, signal)
    }
    const hasLearnt = this.#callers.count(this.#now) > before
    const rest = hasLearnt ? 0 : this.#callers.areAllKnown(this.#now) ? REST_MS : LONG_REST_MS
    this.#restUntil = this.#now + rest
  }

  get #isWanted(): boolean {
    return this.#waiting.size > 0 || this.#isUnprovable || this.#triesLeft > 0
  }

  async #renew(): Promise<void> {
    const { clock, probe } = this.#options
    const { signal } = this.#abort
    for (;;) {
      await pause(clock, RENEW_MS, signal)
      if (signal.aborted) return
      await probe(signal)
    }
  }
}
