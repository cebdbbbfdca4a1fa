import type { SystemContext } from '../../kube/time/system-context.ts'
import type { Holder, Shares } from './shares.ts'

/** As long a place is kept at least where each account has a single one. */
const STAY_MS = 60_000

/** Who has not asked again for this time does not wait any more. */
const WAITS_MS = 30_000

/** Something that an account holds, and that may go to another account. */
export interface Place {
  readonly account: Holder
  /** When it was taken, and when it was last used: milliseconds of the clock. */
  readonly since: number
  readonly usedAt: number
}

/**
 * Chooses who gives way where all places are taken: an account that has fewer gets a place of the account with most. So whoever comes anew gets in,
 * however many accounts a tenant has. Where each has a single one, accounts take turns: the one that has waited longest comes first.
 */
export class GivingWay {
  readonly #shares: Shares
  readonly #clock: Pick<SystemContext, 'monotonic'>
  /** When those who wait have asked last, by account; who has waited longest comes first. */
  readonly #waiting = new Map<string, number>()

  constructor(shares: Shares, clock: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#clock = clock
  }

  /** The place of others that goes to an account; undefined where none does. */
  placeFor<P extends Place>(account: Holder, places: Iterable<P>): P | undefined {
    const mustBeMinted = account.isMinted && this.#shares.isMintedFull
    const own = this.#shares.heldBy(account.name)
    const sorted = [...places]
      .filter((place) => place.account.isMinted || !mustBeMinted)
      .toSorted((a, b) => this.#held(b) - this.#held(a) || mintedFirst(a, b) || this.#order(a, b))
    const [first] = sorted
    if (first === undefined) return undefined
    if (this.#held(first) > own + 1) return this.#given(account, first)
    if (own > 0) return undefined
    if (first.account.isMinted && !account.isMinted) return this.#given(account, first)
    // Without a time to stay, a tenant with many accounts could take the places of others without end.
    const before = this.#clock.monotonic() - STAY_MS
    const mayGo = sorted.filter(({ since }) => since <= before)
    return this.#waitersBefore(account) < mayGo.length ? this.#given(account, mayGo[0]) : undefined
  }

  #given<P extends Place>(account: Holder, place: P | undefined): P | undefined {
    this.#waiting.delete(account.name)
    return place
  }

  /** How many have waited longer than an account, which waits from now on. */
  #waitersBefore({ name }: Holder): number {
    const now = this.#clock.monotonic()
    for (const [other, askedAt] of this.#waiting) if (askedAt <= now - WAITS_MS) this.#waiting.delete(other)
    // It keeps its turn.
    this.#waiting.set(name, now)
    return [...this.#waiting.keys()].indexOf(name)
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
