import type { ThreadCpu } from './thread-work.ts'

/** Adds up how much processor time a read takes itself, between its turns: not while it waits for others. */
export class OwnWork {
  readonly #cpu: ThreadCpu
  #began: number | undefined
  #ms = 0

  constructor(cpu: ThreadCpu) {
    this.#cpu = cpu
  }

  get ms(): number {
    return this.#ms
  }

  /** Ends a step, and begins the next one once `turn` resolves. */
  async step(turn: () => Promise<void>): Promise<void> {
    if (this.#began !== undefined) this.#ms += this.#cpu() - this.#began
    this.#began = undefined
    await turn()
    this.#began = this.#cpu()
  }
}
