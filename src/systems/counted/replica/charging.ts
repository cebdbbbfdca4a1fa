import { admitAll, type LedgerCharge } from '../protocol/admit-all.ts'
import { LedgerRefused, type LedgerRefusal, LedgerUnavailable } from '../protocol/ledger-errors.ts'
import { ApiError } from '../../../machinery/status.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import { newInstanceId } from './instance-id.ts'

/** The request behind charges, as the API server waits for it. */
export interface AwaitedRequest {
  readonly dryRun: boolean
  /** How many milliseconds are left to answer. */
  readonly withinMs: number
  readonly signal: AbortSignal
}

/** The outcome of charging ledgers. */
export type ChargingOutcome =
  | { readonly type: 'admitted' }
  | { readonly type: 'denied'; readonly refusals: readonly [LedgerRefusal, ...LedgerRefusal[]] }
  /** Not decided: the ledgers could not be read or written in time, or hold too much of this namespace. */
  | { readonly type: 'later'; readonly message: string }

const TOO_MANY_REQUESTS = 429

/** Charges requests to all ledgers that count their objects, or to none. */
export class Charging {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** With a number it makes an id. */
  readonly #instanceId = newInstanceId()
  #ids = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Names the handling of one request among all of all replicas: the id of its reservations. */
  newId(): string {
    return `${this.#instanceId}${(this.#ids++).toString(36)}`
  }

  /** Charges a request, whose charges all have this id. Rejects where a ledger fails otherwise than by refusing or by being unavailable. */
  async charge(
    charges: readonly LedgerCharge[],
    id: string,
    { dryRun, withinMs, signal }: AwaitedRequest,
  ): Promise<ChargingOutcome> {
    try {
      await admitAll(charges, this.#clock.monotonic() + withinMs, dryRun)
    } catch (error) {
      if (error instanceof LedgerRefused) return { type: 'denied', refusals: error.refusals }
      if (error instanceof LedgerUnavailable) return { type: 'later', message: `${nameOf(error)}: ${error.message}` }
      if (error instanceof ApiError && error.status.code === TOO_MANY_REQUESTS)
        return { type: 'later', message: error.message }
      throw error
    }
    if (!signal.aborted || dryRun) return { type: 'admitted' }
    for (const { ledger } of charges) ledger.release(id)
    return { type: 'later', message: 'the API server does not wait any more' }
  }
}

const nameOf = ({ ref: { kind, namespace, name } }: LedgerUnavailable): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
