import type { Clock } from '../../kube/time/clock.ts'

/** Adds up how long a read holds the thread itself, between its turns: not while it waits for others. */
export class OwnWork {
  readonly #clock: Pick<Clock, 'monotonic'>
  #began: number | undefined
  #ms = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  get ms(): number {
    return this.#ms
  }

  /** Ends a step, and begins the next one once `turn` resolves. */
  async step(turn: () => Promise<void>): Promise<void> {
    if (this.#began !== undefined) this.#ms += this.#clock.monotonic() - this.#began
    this.#began = undefined
    await turn()
    this.#began = this.#clock.monotonic()
  }
}
