import type { SystemContext } from '../../kube/time/system-context.ts'
import type { Holder, Refused, Shares } from './shares.ts'

/** As long a stream stays at least where each account has a single one. */
const STAY_MS = 60_000

interface Place {
  readonly account: Holder
  readonly since: number
  readonly end: () => void
}

/**
 * The places of open streams. Where all are taken, an account that has fewer gets that of the oldest stream of the account with most. So whoever comes
 * anew gets in, however many accounts a tenant has.
 */
export class StreamPlaces {
  readonly #shares: Shares
  readonly #clock: Pick<SystemContext, 'monotonic'>
  /** The oldest first. */
  readonly #places = new Set<Place>()

  constructor(shares: Shares, clock: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#clock = clock
  }

  /** Takes a place until what it gives is disposed. `end` is called when the stream has to end for another account. Gives the reason where there is none. */
  take(account: Holder, end: () => void): Disposable | Refused {
    const refused = this.#shares.take(account)
    if (refused !== undefined) {
      const other = refused === 'own' ? undefined : this.#placeFor(account)
      if (other === undefined) return refused
      this.#places.delete(other)
      this.#shares.move(other.account, account)
      other.end()
    }
    const place = { account, since: this.#clock.monotonic(), end }
    this.#places.add(place)
    return {
      [Symbol.dispose]: () => {
        if (this.#places.delete(place)) this.#shares.give(account)
      },
    }
  }

  #placeFor(account: Holder): Place | undefined {
    const mustBeMinted = account.isMinted && this.#shares.isMintedFull
    const own = this.#shares.heldBy(account.name)
    const [first] = [...this.#places]
      .filter((place) => place.account.isMinted || !mustBeMinted)
      .toSorted((a, b) => this.#held(b) - this.#held(a) || Number(b.account.isMinted) - Number(a.account.isMinted))
    if (first === undefined) return undefined
    // Where all have one, a tenant with many accounts could end the streams of others without end.
    const mayStay = (account.isMinted || !first.account.isMinted) && this.#clock.monotonic() < first.since + STAY_MS
    return this.#held(first) > own + 1 || (own === 0 && !mayStay) ? first : undefined
  }

  #held({ account }: Place): number {
    return this.#shares.heldBy(account.name)
  }
}
