import type { SystemContext } from '../../kube/time/system-context.ts'

interface Kept<T> {
  readonly value: Promise<T>
  readonly until: number
}

/** Answers that are kept for a while, each under its question. One that fails is not kept. */
export class KeptAnswers<T> {
  readonly #keepMs: number
  readonly #most: number
  readonly #context: Pick<SystemContext, 'monotonic'>
  /** The one that was asked last at the end. */
  readonly #kept = new Map<string, Kept<T>>()

  /** @param most the oldest give way beyond so many */
  constructor(keepMs: number, most: number, context: Pick<SystemContext, 'monotonic'>) {
    this.#keepMs = keepMs
    this.#most = most
    this.#context = context
  }

  /** The answer that is kept, else that of `ask`. Several wait for it together, so none of them may end it. */
  of(question: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#context.monotonic()
    const found = this.#kept.get(question)
    if (found !== undefined && now < found.until) return found.value
    const kept: Kept<T> = { value: ask(), until: now + this.#keepMs }
    this.#kept.delete(question)
    this.#kept.set(question, kept)
    kept.value.catch(() => {
      if (this.#kept.get(question) === kept) this.#kept.delete(question)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest)
    return kept.value
  }
}
