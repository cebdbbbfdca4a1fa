import type { SystemContext } from '../../kube/time/system-context.ts'
import { GivingWay, type Place } from './giving-way.ts'
import type { Holder, Refused, Shares } from './shares.ts'

interface StreamPlace extends Place {
  readonly end: () => void
}

/** The places of open streams. Where all are taken, the oldest stream of the account with most may have to end for another account. */
export class StreamPlaces {
  readonly #shares: Shares
  readonly #clock: Pick<SystemContext, 'monotonic'>
  readonly #givingWay: GivingWay
  readonly #places = new Set<StreamPlace>()

  constructor(shares: Shares, clock: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#clock = clock
    this.#givingWay = new GivingWay(shares, clock)
  }

  /** Takes a place until what it gives is disposed. `end` is called when the stream has to end for another account. Gives the reason where there is none. */
  take(account: Holder, end: () => void): Disposable | Refused {
    const refused = this.#shares.take(account)
    if (refused !== undefined) {
      const other = refused === 'own' ? undefined : this.#givingWay.placeFor(account, this.#places)
      if (other === undefined) return refused
      this.#places.delete(other)
      this.#shares.move(other.account, account)
      other.end()
    }
    const now = this.#clock.monotonic()
    const place = { account, since: now, usedAt: now, end }
    this.#places.add(place)
    return {
      [Symbol.dispose]: () => {
        if (this.#places.delete(place)) this.#shares.give(account)
      },
    }
  }
}
