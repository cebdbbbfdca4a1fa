/** A body that has begun to arrive. */
export interface UnfinishedBody {
  /** Gives up waiting for the rest. */
  readonly giveUp: () => void
}

/** How many bytes of memory unfinished bodies may hold. */
export interface BodyBounds {
  /** Of all clients together. */
  readonly all: number
  /** Of one user. */
  readonly user: number
  /** Of one address whose client has not shown a good credential. */
  readonly unknown: number
}

const MIB = 1024 * 1024
export const BODY_BOUNDS: BodyBounds = { all: 256 * MIB, user: 128 * MIB, unknown: 64 * MIB }

/** Whose body it is: the name of a user, or an address. */
export interface BodyOwner {
  readonly name: string
  readonly isKnown: boolean
}

interface Account {
  readonly bodies: Map<UnfinishedBody, number>
  readonly limit: number
  total: number
}

/**
 * What all unfinished bodies of a server hold together, and those of each owner. A body is there within moments as a rule, so the
 * oldest ones give way: those of the owner who holds too much, or of the owner with most when all hold too much.
 */
export class BodyBudget {
  readonly #bounds: BodyBounds
  readonly #accounts = new Map<string, Account>()
  #total = 0

  constructor(bounds: BodyBounds = BODY_BOUNDS) {
    this.#bounds = bounds
  }

  /** The bytes of all unfinished bodies. */
  get total(): number {
    return this.#total
  }

  /** Says how much a body holds by now; gives up others, or this one, when that is too much. */
  hold(owner: BodyOwner, body: UnfinishedBody, bytes: number): void {
    const key = keyOf(owner)
    const account = this.#accounts.get(key) ?? this.#open(key, owner)
    const more = bytes - (account.bodies.get(body) ?? 0)
    account.bodies.set(body, bytes)
    account.total += more
    this.#total += more
    while (account.total > account.limit) this.#giveUpOldest(account)
    while (this.#total > this.#bounds.all) this.#giveUpOldest(this.#largest(account))
    if (account.bodies.size === 0) this.#accounts.delete(key)
  }

  /** The body is complete, or its client is gone. */
  release(owner: BodyOwner, body: UnfinishedBody): void {
    const key = keyOf(owner)
    const account = this.#accounts.get(key)
    if (account === undefined) return
    this.#drop(account, body)
    if (account.bodies.size === 0) this.#accounts.delete(key)
  }

  #open(key: string, { isKnown }: BodyOwner): Account {
    const account = { bodies: new Map(), limit: isKnown ? this.#bounds.user : this.#bounds.unknown, total: 0 }
    this.#accounts.set(key, account)
    return account
  }

  #largest(account: Account): Account {
    let largest = account
    for (const other of this.#accounts.values()) if (other.total > largest.total) largest = other
    return largest
  }

  #giveUpOldest(account: Account): void {
    for (const oldest of account.bodies.keys()) {
      this.#drop(account, oldest)
      return oldest.giveUp()
    }
  }

  #drop(account: Account, body: UnfinishedBody): void {
    const bytes = account.bodies.get(body) ?? 0
    account.bodies.delete(body)
    account.total -= bytes
    this.#total -= bytes
  }
}

const keyOf = ({ name, isKnown }: BodyOwner): string => `${isKnown ? 'user' : 'address'} ${name}`
