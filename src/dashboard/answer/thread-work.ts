/** Milliseconds of processor time that this thread has used. */
export type ThreadCpu = () => number

/** The real one. Time in which a starved thread only waits for a core is no part of it. */
export function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** What a read has cost. */
export interface ReadCost {
  /** All that the thread has worked meanwhile. */
  readonly threadMs: number
  /** The part of the read in that: reads that are under way at the same time share it. */
  readonly shareMs: number
}

/** Measures reads by the work of the thread, not by the time that passes: a machine that is busy with other things makes no read dear. */
export class ThreadWork {
  readonly #cpu: ThreadCpu
  #underWay = 0
  #seenAt: number
  /** What a read would have cost that has been under way since the beginning. */
  #shared = 0

  constructor(cpu: ThreadCpu) {
    this.#cpu = cpu
    this.#seenAt = cpu()
  }

  /** Begins to measure a read. What it gives ends that, and must be called once. */
  begin(): () => ReadCost {
    this.#share()
    this.#underWay++
    const [sharedBefore, before] = [this.#shared, this.#seenAt]
    return () => {
      this.#share()
      this.#underWay--
      return { threadMs: this.#seenAt - before, shareMs: this.#shared - sharedBefore }
    }
  }

  #share(): void {
    const now = this.#cpu()
    if (this.#underWay > 0) this.#shared += (now - this.#seenAt) / this.#underWay
    this.#seenAt = now
  }
}
