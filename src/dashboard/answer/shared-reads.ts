import { type Clock, NEVER_ABORTED, pause } from '../../kube/time/clock.ts'
import { tooManyRequests } from '../../machinery/status.ts'
import { OwnWork } from './own-work.ts'
import { threadCpu, type ThreadCpu, ThreadWork } from './thread-work.ts'

/** A read is not repeated before so many times the work of the thread meanwhile has passed: so pages that are open cost a share of a core, and no more. */
const PAUSES = 30
const LONGEST_PAUSE_MS = 10_000
/** What a read has worked itself counts without end. The time that it waits for others does not: their long reads would make it rest. */
const PAUSES_OF_WORK = 10
/** Where several questions have reads that cost more, each waits for that many times as long. */
const DEAR_MS = 50
/** Opened views that cost less are not counted: an account asks 20 times a second at most. */
const CHEAP_MS = 5
const MOST_DEAR = 3
/** So many questions of an account may be read, or rest after a long read, at a time: a page asks no more. Else who asks the same in other words waits for nothing. */
const MOST_OF_ACCOUNT = 6
/** So many requests of an account may wait at a time: more than all its pages send. */
const MOST_WAITING = 64

/** Whose reads take turns. */
export interface ReadingAccount {
  readonly name: string
  /** May a view be opened that does not wait for rests? */
  readonly mayOpenView: boolean
  /** Is told what such a view has cost, in milliseconds of processor time. */
  readonly paysForView: (ms: number) => void
}

/** What is asked of the reads of an account. */
export interface Asking {
  readonly account: ReadingAccount
  /** Questions are the same where this is. */
  readonly question: string
  /** Has the page that asks nothing to show yet? */
  readonly isOpening: boolean
}

interface Read<T> {
  readonly run: (signal: AbortSignal, work: OwnWork) => Promise<T>
  readonly answer: PromiseWithResolvers<T>
  /** Aborts when nobody waits for it any more. */
  readonly unwanted: AbortController
  waiting: number
  isOpening: boolean
}

/** The reads of one question. */
interface Line<T> {
  readonly question: string
  /** The one that has not begun yet, which all share who ask before it does. */
  next: Read<T> | undefined
  /** How many are being read. */
  reading: number
  /** How many are being read, or rest. */
  busy: number
  /** How much the thread worked during the last read. */
  lastMs: number
  /** How much of that it worked for the read alone. */
  workedMs: number
  hasAnswered: boolean
}

interface AccountLines<T> {
  readonly account: ReadingAccount
  readonly lines: Map<string, Line<T>>
  /** Those whose next read waits, in the order of asking. */
  readonly queue: Set<Line<T>>
  /** How many requests wait for reads that have not begun. */
  waiting: number
}

/**
 * Lets requests that ask the same share one read. A read that has begun is not shared with those who come later: they may ask because something has
 * changed since. Reads rest before they are repeated. A view that is opened does not wait for that, as long as its account does not open too many.
 */
export class SharedReads<T> {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #cpu: ThreadCpu
  readonly #work: ThreadWork
  readonly #accounts = new Map<string, AccountLines<T>>()
  /** How many accounts have a read that cost much. */
  #dearAccounts = 0

  constructor(clock: Pick<Clock, 'sleep'>, cpu: ThreadCpu = threadCpu) {
    this.#clock = clock
    this.#cpu = cpu
    this.#work = new ThreadWork(cpu)
  }

  /** So many questions are remembered. */
  get size(): number {
    return [...this.#accounts.values()].reduce((sum, { lines }) => sum + lines.size, 0)
  }

  /**
   * What `read` resolves with, or that of another request of the account with the same question. `signal` aborts when the caller does not wait any more: then it
   * rejects, and the signal of `read` aborts with the last one who waits. Rejects with 429 where too many requests of the account wait. `work` is told of the turns of `read`.
   */
  async of(
    { account, question, isOpening }: Asking,
    signal: AbortSignal,
    read: (signal: AbortSignal, work: OwnWork) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const own = this.#linesOf(account)
    if (own.waiting >= MOST_WAITING) throw tooManyRequests('too many requests of this user or namespace wait', 1)
    const line = own.lines.get(question) ?? newLine<T>(question)
    own.lines.set(question, line)
    const shared = (line.next ??= newRead(read))
    shared.waiting++
    // Nobody has got an answer of it yet, so this is no repetition.
    shared.isOpening ||= isOpening || !line.hasAnswered
    own.waiting++
    own.queue.add(line)
    // Those who ask at the same time share it.
    queueMicrotask(() => this.#serve(own))
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      reject(signal.reason)
      this.#leave(own, line, shared, signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([shared.answer.promise, left])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #leave(own: AccountLines<T>, line: Line<T>, shared: Read<T>, reason: unknown): void {
    const hasBegun = line.next !== shared
    if (!hasBegun) own.waiting--
    if (--shared.waiting > 0) return
    shared.unwanted.abort(reason)
    if (hasBegun) return
    // Nobody is to share what is given up.
    line.next = undefined
    own.queue.delete(line)
    this.#tidy(own, line)
  }

  /** Begins all reads of an account that need not wait any longer. */
  #serve(own: AccountLines<T>): void {
    for (const line of own.queue) {
      const { next } = line
      if (next === undefined || readingOf(own) >= MOST_OF_ACCOUNT) continue
      const isPaid = !hasRested(own, line)
      if (isPaid && !(next.isOpening && own.account.mayOpenView)) continue
      own.queue.delete(line)
      own.waiting -= next.waiting
      line.next = undefined
      void this.#read(own, line, next, isPaid)
    }
  }

  /** Never rejects. */
  async #read(own: AccountLines<T>, line: Line<T>, { run, answer, unwanted }: Read<T>, isPaid: boolean): Promise<void> {
    line.reading++
    line.busy++
    const end = this.#work.begin()
    const work = new OwnWork(this.#cpu)
    try {
      answer.resolve(await run(unwanted.signal, work))
    } catch (error) {
      answer.reject(error)
    }
    // A refusal is an answer, too.
    line.hasAnswered ||= !unwanted.signal.aborted
    line.reading--
    line.workedMs = work.ms
    const { threadMs, shareMs } = end()
    if (isPaid && shareMs >= CHEAP_MS) own.account.paysForView(shareMs)
    this.#took(own, line, threadMs)
    this.#serve(own)
    await pause(this.#clock, this.#restMs(own, line), NEVER_ABORTED)
    line.busy--
    this.#tidy(own, line)
    this.#serve(own)
  }

  #took(own: AccountLines<T>, line: Line<T>, ms: number): void {
    const before = dearOf(own)
    line.lastMs = ms
    this.#dearAccounts += Math.sign(dearOf(own)) - Math.sign(before)
  }

  /** Drops what nobody asks any more. */
  #tidy(own: AccountLines<T>, line: Line<T>): void {
    if (line.busy > 0 || line.next !== undefined) return
    this.#took(own, line, 0)
    own.lines.delete(line.question)
    if (own.lines.size === 0) this.#accounts.delete(own.account.name)
  }

  #linesOf(account: ReadingAccount): AccountLines<T> {
    const found = this.#accounts.get(account.name)
    if (found !== undefined) return found
    const own = { account, lines: new Map(), queue: new Set<Line<T>>(), waiting: 0 }
    this.#accounts.set(account.name, own)
    return own
  }

  /** Each other account counts once, however much it reads: it makes nobody wait much longer. */
  #restMs(own: AccountLines<T>, { lastMs, workedMs }: Line<T>): number {
    const dear = lastMs < DEAR_MS ? 1 : this.#dearAccounts - 1 + dearOf(own)
    return Math.max(Math.min(lastMs * PAUSES, LONGEST_PAUSE_MS) * Math.min(dear, MOST_DEAR), workedMs * PAUSES_OF_WORK)
  }
}

const readingOf = <T>({ lines }: AccountLines<T>): number =>
  [...lines.values()].reduce((sum, { reading }) => sum + reading, 0)

/** May the next read begin without leaving out a rest? */
function hasRested<T>(own: AccountLines<T>, line: Line<T>): boolean {
  const taken = [...own.lines.values()].filter((one) => one.busy > 0 && (one.reading > 0 || isDear(one))).length
  return line.busy === 0 && taken < MOST_OF_ACCOUNT
}

const isDear = <T>({ lastMs }: Line<T>): boolean => lastMs >= DEAR_MS
const dearOf = <T>({ lines }: AccountLines<T>): number => [...lines.values()].filter(isDear).length

const newLine = <T>(question: string): Line<T> => {
  return { question, next: undefined, reading: 0, busy: 0, lastMs: 0, workedMs: 0, hasAnswered: false }
}

function newRead<T>(run: Read<T>['run']): Read<T> {
  const answer = Promise.withResolvers<T>()
  // Those who wait have their own share of it.
  answer.promise.catch(() => undefined)
  return { run, answer, unwanted: new AbortController(), waiting: 0, isOpening: false }
}
