import { type Clock, NEVER_ABORTED, pause } from '../../kube/time/clock.ts'

/** A read is not repeated before so many times its own duration have passed: so pages that are open cost a share of a core, and no more. */
const PAUSES = 30
const LONGEST_PAUSE_MS = 10_000
/** Where several questions have reads that take longer, each waits for that many times as long. */
const DEAR_MS = 50
const MOST_DEAR = 3
/** So many questions of an account may be read, or rest after a long read, at a time: a page asks no more. Else who asks the same in other words waits for nothing. */
const MOST_OF_ACCOUNT = 6

interface Read<T> {
  readonly answer: Promise<T>
  /** Aborts when nobody waits for it any more. */
  readonly unwanted: AbortController
  waiting: number
}

/** The reads of one question. */
interface Line<T> {
  /** The one that has not begun yet, which all share who ask before it does. */
  next: Read<T> | undefined
  /** Resolves when another one may begin. */
  rest: Promise<void>
  isResting: boolean
  /** Is it being read? */
  isRead: boolean
  /** How long the last read took. */
  lastMs: number
  readonly account: string
}

/**
 * Lets requests that ask the same share one read. A read that has begun is not shared with those who come later: they may ask because something has
 * changed since.
 */
export class SharedReads<T> {
  readonly #clock: Pick<Clock, 'sleep' | 'monotonic'>
  readonly #lines = new Map<string, Line<T>>()

  constructor(clock: Pick<Clock, 'sleep' | 'monotonic'>) {
    this.#clock = clock
  }

  /** So many questions are remembered. */
  get size(): number {
    return this.#lines.size
  }

  /**
   * What `read` resolves with, or that of another request of the account with the same question. `signal` aborts when the caller does not wait any more: then it
   * rejects, and the signal of `read` aborts with the last one who waits.
   */
  async of(
    { account, question }: { readonly account: string; readonly question: string },
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const line = this.#lines.get(question) ?? newLine<T>(account)
    this.#lines.set(question, line)
    const shared = (line.next ??= this.#begin(question, line, read))
    shared.waiting++
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      reject(signal.reason)
      if (--shared.waiting > 0) return
      shared.unwanted.abort(signal.reason)
      // Nobody is to share what is given up.
      if (line.next === shared) line.next = undefined
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([shared.answer, left])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #begin(question: string, line: Line<T>, read: (signal: AbortSignal) => Promise<T>): Read<T> {
    const unwanted = new AbortController()
    const { signal } = unwanted
    const answer = (async () => {
      await line.rest
      for (let before = this.#before(line); before.length > 0; before = this.#before(line)) await Promise.race(before)
      signal.throwIfAborted()
      line.next = undefined
      line.isRead = true
      const began = this.#clock.monotonic()
      const { promise, resolve } = Promise.withResolvers<void>()
      line.isResting = true
      line.rest = promise
      try {
        return await read(signal)
      } finally {
        line.isRead = false
        line.lastMs = this.#clock.monotonic() - began
        void pause(this.#clock, this.#restMs(line), NEVER_ABORTED).then(() => {
          line.isResting = false
          if (line.next === undefined) this.#lines.delete(question)
          resolve()
        })
      }
    })()
    answer.catch(() => undefined)
    return { answer, unwanted, waiting: 0 }
  }

  /** The rests of which one has to end before the next read of a line may begin. */
  #before(line: Line<T>): readonly Promise<void>[] {
    if (line.isResting) return [line.rest]
    const others = [...this.#lines.values()].filter(
      (one) => one.account === line.account && one.isResting && (one.isRead || one.lastMs >= DEAR_MS),
    )
    return others.length < MOST_OF_ACCOUNT ? [] : others.map(({ rest }) => rest)
  }

  #restMs({ lastMs }: Line<T>): number {
    const dear = lastMs < DEAR_MS ? 1 : [...this.#lines.values()].filter((one) => one.lastMs >= DEAR_MS).length
    return Math.min(lastMs * PAUSES, LONGEST_PAUSE_MS) * Math.min(dear, MOST_DEAR)
  }
}

const newLine = <T>(account: string): Line<T> => {
  return { next: undefined, rest: Promise.resolve(), isResting: false, isRead: false, lastMs: 0, account }
}
