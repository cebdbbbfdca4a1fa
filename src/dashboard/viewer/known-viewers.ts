import type { SystemContext } from '../../kube/time/system-context.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import type { Shares } from '../bounds/shares.ts'
import type { Viewer } from './viewer.ts'

/** Who has asked within this time is not forgotten for somebody else. */
const ACTIVE_MS = 60_000

/** A viewer whose token the API server has accepted. */
export interface Known {
  readonly viewer: Viewer
  usedAt: number
  provenUntil: number
  proving: Promise<void> | undefined
}

/** The viewers that are known, by the digests of their tokens. Those that ask nothing make room for others. */
export class KnownViewers {
  readonly #shares: Shares
  readonly #context: Pick<SystemContext, 'monotonic'>
  readonly #known = new Map<string, Known>()

  constructor(shares: Shares, context: Pick<SystemContext, 'monotonic'>) {
    this.#shares = shares
    this.#context = context
  }

  get size(): number {
    return this.#known.size
  }

  get(key: string): Known | undefined {
    return this.#known.get(key)
  }

  /** Throws 429 where there are too many, and none of them has been idle for a while. */
  add(known: Known): void {
    const { key, account } = known.viewer
    for (;;) {
      const refused = this.#shares.take(account)
      if (refused === undefined) break
      const idle = this.#idle(refused === 'own' ? account.name : undefined)
      if (idle === undefined) throw tooManyRequests(REFUSALS[refused], 10)
      this.delete(idle.viewer)
    }
    this.#known.set(key, known)
  }

  delete({ key, account }: Viewer): void {
    if (this.#known.delete(key)) this.#shares.give(account)
  }

  /** The viewer who has been idle longest, of one account or of that with most tokens. */
  #idle(account: string | undefined): Known | undefined {
    const before = this.#context.monotonic() - ACTIVE_MS
    return [...this.#known.values()]
      .filter(({ viewer, usedAt }) => !viewer.isBusy && usedAt <= before)
      .filter(({ viewer }) => account === undefined || viewer.account.name === account)
      .toSorted((a, b) => this.#tokensOf(b) - this.#tokensOf(a) || a.usedAt - b.usedAt)[0]
  }

  #tokensOf({ viewer }: Known): number {
    return this.#shares.heldBy(viewer.account.name)
  }
}

const REFUSALS = {
  own: 'too many tokens of this user or namespace are in use, please try again',
  others: 'too many viewers are here, please try again',
} as const
