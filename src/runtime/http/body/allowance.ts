/** A body that has begun to arrive, until the request that it belongs to is over. */
export interface UnfinishedBody {
  /** Gives up waiting for the rest. */
  readonly giveUp: () => void
}

/** How many bytes of memory the bodies of requests that are not over may hold. */
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
  /** Those that still arrive, the oldest first. */
  readonly bodies: Map<UnfinishedBody, number>
  /** Those that are worked with: they cannot give way any more. */
  readonly complete: Map<UnfinishedBody, number>
  readonly limit: number
  total: number
}

/**
 * The bytes that all bodies of a server hold together, and those of each owner. They count from the beginning of a body
 * until its request is over, because a complete body may wait for webhooks or for the disk. Bodies usually arrive
 * within moments, so the oldest of the unfinished ones give way. These are bodies of the owner who holds too much. If
 * all hold too much, they are of the owner with most of them.
 */
export class BodyAllowance {
  readonly #bounds: BodyBounds
  readonly #accounts = new Map<string, Account>()
  #total = 0

  constructor(bounds: BodyBounds = BODY_BOUNDS) {
    this.#bounds = bounds
  }

  /** The bytes of all bodies. */
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
    while (account.total > account.limit && account.bodies.size > 0) this.#giveUpOldest(account)
    while (this.#total > this.#bounds.all) {
      const largest = this.#largest()
      if (largest === undefined) break
      this.#giveUpOldest(largest)
    }
    this.#closeIfEmpty(key, account)
  }

  /** The body is there: it counts until it is released, and cannot give way any more. */
  complete(owner: BodyOwner, body: UnfinishedBody): void {
    const account = this.#accounts.get(keyOf(owner))
    const bytes = account?.bodies.get(body)
    if (account === undefined || bytes === undefined) return
    account.bodies.delete(body)
    account.complete.set(body, bytes)
  }

  /** The request is over, or its client is gone. */
  release(owner: BodyOwner, body: UnfinishedBody): void {
    const key = keyOf(owner)
    const account = this.#accounts.get(key)
    if (account === undefined) return
    this.#drop(account, body)
    this.#closeIfEmpty(key, account)
  }

  #closeIfEmpty(key: string, { bodies, complete }: Account): void {
    if (bodies.size === 0 && complete.size === 0) this.#accounts.delete(key)
  }

  #open(key: string, { isKnown }: BodyOwner): Account {
    const account: Account = {
      bodies: new Map(),
      complete: new Map(),
      limit: isKnown ? this.#bounds.user : this.#bounds.unknown,
      total: 0,
    }
    this.#accounts.set(key, account)
    return account
  }

  /** Of the accounts in which something still arrives. */
  #largest(): Account | undefined {
    let largest: Account | undefined
    for (const one of this.#accounts.values())
      if (one.bodies.size > 0 && (largest === undefined || one.total > largest.total)) largest = one
    return largest
  }

  #giveUpOldest(account: Account): void {
    for (const oldest of account.bodies.keys()) {
      this.#drop(account, oldest)
      return oldest.giveUp()
    }
  }

  #drop(account: Account, body: UnfinishedBody): void {
    const bytes = account.bodies.get(body) ?? account.complete.get(body) ?? 0
    account.bodies.delete(body)
    account.complete.delete(body)
    account.total -= bytes
    this.#total -= bytes
  }
}

const keyOf = ({ name, isKnown }: BodyOwner): string => `${isKnown ? 'user' : 'address'} ${name}`
