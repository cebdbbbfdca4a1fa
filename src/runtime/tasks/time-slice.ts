const SLICE_MS = 5

const turnOfLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Keeps a long task from holding the thread. Between its steps, the task asks for the next turn, with any number of
 * workers. It gets the turn at once while the slice lasts. Otherwise it waits until everything else that waits has had
 * its turn.
 */
export class TimeSlice {
  readonly #lengthMs: number
  readonly #others: () => Promise<void>
  #began = performance.now()
  #turn: Promise<void> | undefined

  /**
   * @param lengthMs how long it may hold the thread
   * @param others resolves when others have had their turn
   */
  constructor(lengthMs = SLICE_MS, others = turnOfLoop) {
    this.#lengthMs = lengthMs
    this.#others = others
  }

  /** Undefined when the task may go on at once. */
  next(): Promise<void> | undefined {
    if (this.#turn !== undefined) return this.#turn
    if (performance.now() - this.#began < this.#lengthMs) return undefined
    this.#turn = this.#others().then(() => {
      this.#turn = undefined
      this.#began = performance.now()
    })
    return this.#turn
  }
}

/** Work on so many bytes ends long before a slice does. */
const LITTLE_BYTES = 64 * 1024

/**
 * The slice of a task that goes through so many bytes several times; undefined for few, which need no turns. `others` resolves
 * when others have had their turn.
 */
export const sliceFor = (bytes: number, others?: () => Promise<void>): TimeSlice | undefined =>
  bytes > LITTLE_BYTES ? new TimeSlice(SLICE_MS, others) : undefined

/** Does `step` for each item, so many at a time, and lets other work run in between. Rejects with the first error. */
export async function inTurns<T>(items: Iterable<T>, workers: number, step: (item: T) => Promise<void>): Promise<void> {
  const slice = new TimeSlice()
  const rest = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let item = rest.next(); item.done !== true; item = rest.next()) {
      const turn = slice.next()
      if (turn !== undefined) await turn
      await step(item.value)
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
}
