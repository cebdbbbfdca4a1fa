import { AnswerTooLarge } from '../../kube/client/answer-reader.ts'
import { type Rate, RateLimit } from '../../kube/time/rate-limit.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { type ApiError, failure, tooManyRequests } from '../../machinery/status.ts'
import { type Holder, type ShareBounds, Shares } from './shares.ts'
import { StreamPlaces } from './stream-places.ts'
import { WorkBudget, type WorkRate } from './work-budget.ts'

/** How fast an account may ask: more than a page does that somebody clicks through. */
const ASKING: Rate = { qps: 20, burst: 60 }
/** A stream costs the API server some twenty requests before it tells anything. */
const OPENING: Rate = { qps: 1, burst: 15 }
/** Views that are opened and do not wait for rests: a twentieth of a core, and at once as many as somebody clicks through. */
const OPENING_VIEWS: WorkRate = { burstMs: 5_000, msASecond: 50 }
/** How fast the API server is asked for an account: a view of a namespace takes some thirty requests. */
const READING: Rate = { qps: 100, burst: 300 }

const MIB = 1024 * 1024
/** Tenants make ServiceAccounts, and many make namespaces. All of these together leave a quarter to users. */
const BOUNDS = {
  /** Requests that are answered at a time: each may hold lists of objects. */
  running: { all: 64, each: 8, minted: 48 },
  streams: { all: 100, each: 12, minted: 75 },
  /** Bodies that are waited for at a time. */
  bodies: { all: 128, each: 4, minted: 96 },
  /** Tokens that are known at a time. */
  tokens: { all: 256, each: 8, minted: 192 },
  /** Bytes of what was read and is still held. */
  bytes: { all: 80 * MIB, each: 32 * MIB, minted: 64 * MIB },
} as const satisfies Readonly<Record<string, ShareBounds>>

type Bound = keyof typeof BOUNDS
type Context = Pick<SystemContext, 'monotonic' | 'sleep'>

/** A user, or the ServiceAccounts of a namespace: all that bounds are kept for. */
export class Account implements Holder {
  readonly name: string
  readonly isMinted: boolean
  /** How fast requests for it to the API server may begin. */
  readonly reading: RateLimit
  readonly #asking: RateLimit
  readonly #opening: RateLimit
  readonly #openingViews: WorkBudget
  readonly #shares: Readonly<Record<Bound, Shares>>
  readonly #places: StreamPlaces

  constructor(
    { name, isMinted }: Holder,
    shares: Readonly<Record<Bound, Shares>>,
    places: StreamPlaces,
    context: Context,
  ) {
    this.name = name
    this.isMinted = isMinted
    this.reading = new RateLimit(READING, context)
    this.#asking = new RateLimit(ASKING, context)
    this.#opening = new RateLimit(OPENING, context)
    this.#openingViews = new WorkBudget(OPENING_VIEWS, context)
    this.#shares = shares
    this.#places = places
  }

  /** Counts that it asks. Throws 429 where it asks too often. */
  ask(): void {
    if (!this.#asking.takeNow()) throw asksTooMuch()
  }

  /** May a view be opened that does not wait for rests? */
  get mayOpenView(): boolean {
    return this.#openingViews.hasLeft
  }

  /** Counts what a view has cost that did not wait, in milliseconds of processor time. */
  paysForView(ms: number): void {
    this.#openingViews.spend(ms)
  }

  /** Counts a request until it is disposed. Throws 429 where the account asks too much, and 503 where all do. */
  begin(): Disposable {
    return this.#counted('running', asksTooMuch)
  }

  /**
   * Counts a stream until it is disposed. `end` is called when it has to end for an account that has fewer. Throws 429 where the account has too many
   * or opens them too fast, and 503 where all have too many.
   */
  beginStream(end: () => void): Disposable {
    if (this.#shares.streams.heldBy(this.name) >= BOUNDS.streams.each) throw hasTooManyStreams()
    if (!this.#opening.takeNow())
      throw tooManyRequests('too many streams are opened with tokens of this user or namespace, please try again', 1)
    const place = this.#places.take(this, end)
    if (typeof place === 'string') throw isCrowded()
    return place
  }

  /** Counts a body that is waited for until it is disposed. Throws 429 where the account has too many, and 503 where all have. */
  beginBody(): Disposable {
    return this.#counted('bodies', asksTooMuch)
  }

  /**
   * Takes bytes for a request that holds some already. They must be given back. Throws AnswerTooLarge: with 413 where the request takes too many,
   * with 429 where the account holds too many, and with 503 where all do.
   */
  takeBytes(bytes: number, held: number): void {
    const refused = this.#shares.bytes.take(this, bytes)
    if (refused === undefined) return
    const isAlone = held + bytes > BOUNDS.bytes.each
    throw new AnswerTooLarge(isAlone ? readsTooMuch() : refused === 'own' ? asksTooMuch() : isCrowded())
  }

  giveBytes(bytes: number): void {
    this.#shares.bytes.give(this, bytes)
  }

  /** Is it as if it had never asked for anything? */
  get isAtRest(): boolean {
    return (
      [this.#asking, this.#opening, this.#openingViews, this.reading].every(({ isFull }) => isFull) &&
      Object.values(this.#shares).every((shares) => shares.heldBy(this.name) === 0)
    )
  }

  #counted(bound: Bound, own: () => ApiError): Disposable {
    const shares = this.#shares[bound]
    const refused = shares.take(this)
    if (refused === 'own') throw own()
    if (refused === 'others') throw isCrowded()
    return { [Symbol.dispose]: () => shares.give(this) }
  }
}

/** The accounts of all who have asked lately, and what they share. */
export class Accounts {
  /** Shares of the tokens that are known: whoever keeps them takes and gives. */
  readonly tokens: Shares
  readonly #context: Context
  readonly #shares: Readonly<Record<Bound, Shares>>
  readonly #places: StreamPlaces
  readonly #accounts = new Map<string, Account>()

  constructor(context: Context) {
    this.#context = context
    this.#shares = {
      running: new Shares(BOUNDS.running),
      streams: new Shares(BOUNDS.streams),
      bodies: new Shares(BOUNDS.bodies),
      tokens: new Shares(BOUNDS.tokens),
      bytes: new Shares(BOUNDS.bytes),
    }
    this.tokens = this.#shares.tokens
    this.#places = new StreamPlaces(this.#shares.streams, context)
  }

  of(holder: Holder): Account {
    const { name } = holder
    const found = this.#accounts.get(name)
    if (found !== undefined) return found
    for (const [other, { isAtRest }] of this.#accounts) if (isAtRest) this.#accounts.delete(other)
    const account = new Account(holder, this.#shares, this.#places, this.#context)
    this.#accounts.set(name, account)
    return account
  }

  /** So many bytes are held for an account. */
  bytesOf(name: string): number {
    return this.#shares.bytes.heldBy(name)
  }

  /** So many are remembered. */
  get size(): number {
    return this.#accounts.size
  }
}

const asksTooMuch = (): ApiError =>
  tooManyRequests('too much is asked with tokens of this user or namespace, please try again', 1)
const hasTooManyStreams = (): ApiError =>
  tooManyRequests('this user or namespace has too many open streams, please end one', 10)
/** Others ask for so much that nothing is left. */
export const isCrowded = (): ApiError =>
  failure(503, 'ServiceUnavailable', 'too much is asked of the dashboard, please try again', { retryAfterSeconds: 1 })
const readsTooMuch = (): ApiError =>
  failure(
    413,
    'RequestEntityTooLarge',
    `what this asks about takes more than ${BOUNDS.bytes.each / MIB} MiB to read: ask about less, or use the command line`,
  )
