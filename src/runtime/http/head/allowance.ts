/** A head that has begun to arrive. */
export interface UnfinishedHead {
  /** Gives up waiting for the rest. */
  readonly giveUp: (why: 'late' | 'crowded') => void
}

interface Account {
  bytes: number
  readonly due: number
}

/** How often it is looked whose time is up: one timer for all. */
const LOOK_MS = 1000

/**
 * The bytes that all unfinished heads of a server hold together, and how long each may stay unfinished. A head is there within
 * milliseconds as a rule, so the oldest ones give way when all hold too much.
 */
export class HeadAllowance {
  readonly #limit: number
  readonly #deadlineMs: number
  /** In the order in which they began. */
  readonly #heads = new Map<UnfinishedHead, Account>()
  #total = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limit: number, deadlineMs: number) {
    this.#limit = limit
    this.#deadlineMs = deadlineMs
  }

  /** The bytes of all unfinished heads. */
  get total(): number {
    return this.#total
  }

  /** Says how much a head holds by now. */
  hold(head: UnfinishedHead, bytes: number): void {
    const account = this.#heads.get(head)
    this.#total += bytes - (account?.bytes ?? 0)
    if (account !== undefined) account.bytes = bytes
    else this.#heads.set(head, { bytes, due: performance.now() + this.#deadlineMs })
    if (this.#timer === undefined) this.#timer = this.#nextLook()
    for (const oldest of this.#heads.keys()) {
      if (this.#total <= this.#limit) break
      this.#drop(oldest, 'crowded')
    }
  }

  /** The head is complete, or its connection is gone. */
  release(head: UnfinishedHead): void {
    this.#total -= this.#heads.get(head)?.bytes ?? 0
    this.#heads.delete(head)
  }

  #look(): void {
    const now = performance.now()
    for (const [head, { due }] of this.#heads) {
      if (due > now) break
      this.#drop(head, 'late')
    }
    this.#timer = this.#heads.size === 0 ? undefined : this.#nextLook()
  }

  #nextLook(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.min(LOOK_MS, this.#deadlineMs))
  }

  #drop(head: UnfinishedHead, why: 'late' | 'crowded'): void {
    this.release(head)
    head.giveUp(why)
  }
}
