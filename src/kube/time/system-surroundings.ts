import { readFileSync } from 'node:fs'
import type { KubeSurroundings } from './kube-surroundings.ts'

/** The real clock, chance and files. */
export const systemSurroundings: KubeSurroundings = {
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
