import type { SystemContext } from '../../kube/time/system-context.ts'
import type { Holder, Shares } from './shares.ts'

/** As long a place is kept at least where each account has a single one. */
const STAY_MS = 60_000

/** Something that an account holds, and that may go to another account. */
export interface Place {
  readonly account: Holder
  /** When it was taken, and when it was last used: milliseconds of the clock. */
  readonly since: number
  readonly usedAt: number
}

/**
 * Chooses who gives way where all places are taken: an account that has fewer gets a place of the account with most. So whoever comes anew gets in,
 * however many accounts a tenant has.
 */
export class GivingWay {
  readonly #shares: Shares
  readonly #clock: Pick<SystemContext, 'monotonic'>

  constructor(shares: Shares, clock: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#clock = clock
  }

  /** The place of others that goes to an account; undefined where none does. */
  placeFor<P extends Place>(account: Holder, places: Iterable<P>): P | undefined {
    const mustBeMinted = account.isMinted && this.#shares.isMintedFull
    const own = this.#shares.heldBy(account.name)
    const [first] = [...places]
      .filter((place) => place.account.isMinted || !mustBeMinted)
      .toSorted((a, b) => this.#held(b) - this.#held(a) || mintedFirst(a, b) || this.#order(a, b))
    if (first === undefined) return undefined
    // Where all have one, a tenant with many accounts could take those of others without end.
    const mayStay = (account.isMinted || !first.account.isMinted) && this.#clock.monotonic() < first.since + STAY_MS
    return this.#held(first) > own + 1 || (own === 0 && !mayStay) ? first : undefined
  }

  /** Of several the least recently used one goes. Of single ones the oldest does, so that no use keeps others out. */
  #order(a: Place, b: Place): number {
    return this.#held(a) > 1 ? a.usedAt - b.usedAt : a.since - b.since
  }

  #held({ account }: Place): number {
    return this.#shares.heldBy(account.name)
  }
}

const mintedFirst = (a: Place, b: Place): number => Number(b.account.isMinted) - Number(a.account.isMinted)
