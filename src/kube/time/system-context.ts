import { readFileSync } from 'node:fs'

/** Where the client of an API server gets time and chance from; tests give others. */
export interface SystemContext {
  /** Milliseconds since the epoch: for times that others wrote. */
  readonly now: () => number
  /** Milliseconds that only ever grow, whatever happens to the clock. */
  readonly monotonic: () => number
  /** A number in [0, 1). */
  readonly random: () => number
  /** Resolves after that many milliseconds; rejects with the signal's reason when it aborts first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** The text of a file; throws what the file system throws. */
  readonly readText: (file: string) => string
}

/** The real clock, chance and files. */
export const systemContext: SystemContext = {
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', aborted)
        resolve()
      }, ms)
      if (signal.aborted) aborted()
      else signal.addEventListener('abort', aborted, { once: true })
    }),
  readText: (file) => readFileSync(file, 'utf8'),
}
