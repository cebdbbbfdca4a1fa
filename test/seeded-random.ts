/** Is it the long form of the suites that is asked for? */
export const soak = process.env['ALLOT_SOAK'] === '1'

/** Reproducible randomness: the same seed gives the same sequence (mulberry32). */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T
  }

  /** One of the names, each as likely as its weight says. */
  weighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
    const entries = Object.entries(weights) as [T, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return entries[0]![0]
  }
}

/** ALLOT_SEED; else in long runs a new one each time, and in short ones always the same: they must not fail by chance. */
export const seed = Number(process.env['ALLOT_SEED'] ?? (soak ? Date.now() % 1_000_000 : 50))

/** Runs `work`, and tells the seed when it fails. */
export async function tellingSeed<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error) error.message = `${what} (ALLOT_SEED=${seed}): ${error.message}`
    throw error
  }
}
