import { networkOf } from '../network-of.ts'
import { TurnQueue } from '../turn-queue.ts'

/** The account of one connection's frames until its client is known. */
export interface ConnectionWork {
  /** Takes from what is left. False when there is not enough: the connection has to end. */
  spend(points: number): boolean
  /** Undefined when the next portion may be handled at once; else resolves when it is its turn. */
  turn(): Promise<void> | undefined
  /** The client is known: what it took counts no more. */
  giveBack(): void
}

/** Of a connection, at once and in each second after that. */
const CONNECTION = { burst: 30_000, perSecond: 2000 }
/** Of all connections of an address together. */
const ADDRESS = { burst: 60_000, perSecond: 10_000 }
/** The points that a connection has besides, so that a client can show its credential wherever others flood from its address. */
const FREE = 3000
/** The points that all connections together may spend in one turn of the event loop, give or take a portion. */
const TURN = 2000
/** Addresses that have their whole ration are forgotten when there are so many. */
const MANY_ADDRESSES = 1024

/** The work that clients make before they are known, in points (`FrameReader`): rationed by connection and by address, and by turns. */
export class UnknownWork {
  readonly #addresses = new Map<string, Ration>()
  readonly #turns = new TurnQueue()
  #waiting = 0
  #spentInTurn = 0

  connection(remoteAddress: string): ConnectionWork {
    const name = networkOf(remoteAddress)
    const address = this.#addressOf(name)
    const own = new Ration(CONNECTION.burst, CONNECTION.perSecond)
    let free = FREE
    let taken = 0
    return {
      spend: (points) => {
        this.#spendInTurn(points)
        const fromFree = Math.min(free, points)
        free -= fromFree
        taken += points - fromFree
        return own.take(points) && (points === fromFree || address.take(points - fromFree))
      },
      turn: () => {
        if (this.#waiting === 0 && this.#spentInTurn < TURN) return undefined
        this.#waiting++
        return this.#turns.turn(name).then(() => void this.#waiting--)
      },
      giveBack: () => {
        address.giveBack(taken)
        taken = 0
      },
    }
  }

  #addressOf(name: string): Ration {
    const known = this.#addresses.get(name)
    if (known !== undefined) return known
    if (this.#addresses.size >= MANY_ADDRESSES)
      for (const [other, ration] of this.#addresses) if (ration.isWhole) this.#addresses.delete(other)
    const ration = new Ration(ADDRESS.burst, ADDRESS.perSecond)
    this.#addresses.set(name, ration)
    return ration
  }

  #spendInTurn(points: number): void {
    if (this.#spentInTurn === 0) setImmediate(() => (this.#spentInTurn = 0))
    this.#spentInTurn += points
  }
}

/** A stock of points: so much at once, and more as time passes. */
class Ration {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #at = performance.now()

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  get isWhole(): boolean {
    this.#refill()
    return this.#left === this.#burst
  }

  /** False, and nothing is taken, when there is not so much. */
  take(points: number): boolean {
    this.#refill()
    if (this.#left < points) return false
    this.#left -= points
    return true
  }

  giveBack(points: number): void {
    this.#left = Math.min(this.#burst, this.#left + points)
  }

  #refill(): void {
    const now = performance.now()
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
  }
}
