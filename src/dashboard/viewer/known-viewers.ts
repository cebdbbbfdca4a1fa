import type { SystemContext } from '../../kube/time/system-context.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import { GivingWay } from '../bounds/giving-way.ts'
import type { Holder, Refused, Shares } from '../bounds/shares.ts'
import type { Viewer } from './viewer.ts'

/** Who has asked nothing for this time gives way first. */
const ACTIVE_MS = 60_000

/** A viewer whose token the API server has accepted. */
export interface Known {
  readonly viewer: Viewer
  readonly since: number
  usedAt: number
  provenUntil: number
  proving: Promise<void> | undefined
}

/** The known viewers by the digests of their tokens. Idle viewers are dropped first, then viewers of the account with most of them. */
export class KnownViewers {
  readonly #shares: Shares
  readonly #context: Pick<SystemContext, 'monotonic'>
  readonly #givingWay: GivingWay
  readonly #known = new Map<string, Known>()

  constructor(shares: Shares, context: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#context = context
    this.#givingWay = new GivingWay(shares, context)
  }

  get size(): number {
    return this.#known.size
  }

  get(key: string): Known | undefined {
    return this.#known.get(key)
  }

  /** Whoever has to give way becomes known again with its next request, as a new viewer does. Throws 429 where nobody gives way. */
  add(known: Known): void {
    const { key, account } = known.viewer
    for (;;) {
      const refused = this.#shares.take(account)
      if (refused === undefined) break
      const idle = this.#idle(account, refused)
      if (idle !== undefined) {
        this.delete(idle.viewer)
        continue
      }
      const other = refused === 'own' ? undefined : this.#givingWay.placeFor(account, this.#places())
      if (other === undefined) throw tooManyRequests(REFUSALS[refused], 10)
      this.#known.delete(other.key)
      this.#shares.move(other.account, account)
      break
    }
    this.#known.set(key, known)
  }

  delete({ key, account }: Viewer): void {
    if (this.#known.delete(key)) this.#shares.give(account)
  }

  /** The viewer who has been idle longest, of the account itself or of that with most tokens. */
  #idle(account: Holder, refused: Refused): Known | undefined {
    const before = this.#context.monotonic() - ACTIVE_MS
    const mustBeMinted = account.isMinted && this.#shares.isMintedFull
    return [...this.#known.values()]
      .filter(({ viewer, usedAt }) => !viewer.isBusy && usedAt <= before)
      .filter(({ viewer }) =>
        refused === 'own' ? viewer.account.name === account.name : viewer.account.isMinted || !mustBeMinted,
      )
      .toSorted((a, b) => this.#tokensOf(b) - this.#tokensOf(a) || a.usedAt - b.usedAt)[0]
  }

  #places() {
    return [...this.#known.values()]
      .filter(({ viewer }) => !viewer.isBusy)
      .map(({ viewer: { key, account }, since, usedAt }) => ({ key, account, since, usedAt }))
  }

  #tokensOf({ viewer }: Known): number {
    return this.#shares.heldBy(viewer.account.name)
  }
}

const REFUSALS = {
  own: 'too many tokens of this user or namespace are in use, please try again',
  others: 'too many viewers are here, please try again',
} as const
