import { expect, test } from 'vitest'
import { repeatedly } from './repeatedly.ts'

/** A sleep that ends at once, and is aborted after so many times. */
function sleepUpTo(times: number) {
  const abort = new AbortController()
  const waits: number[] = []
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    waits.push(ms)
    if (waits.length > times) abort.abort(new Error('stopped'))
    return signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve()
  }
  return { abort, waits, sleep }
}

test.each([
  [0, 750],
  [0.5, 1000],
  [1, 1250],
])('waits before each look, three to five quarters of the time: a chance of %d waits %d', async (chance, ms) => {
  const { abort, waits, sleep } = sleepUpTo(3)
  let looks = 0
  await repeatedly({ random: () => chance, sleep }, 1000, abort.signal, () => Promise.resolve(void looks++))
  expect([looks, waits]).toEqual([3, [ms, ms, ms, ms]])
})

test('looks no more once a look failed', async () => {
  const { abort, waits, sleep } = sleepUpTo(3)
  const looking = repeatedly({ random: () => 0, sleep }, 1000, abort.signal, () => Promise.reject(new Error('no')))
  await expect(looking).rejects.toThrow('no')
  expect(waits).toHaveLength(1)
})

test('rejects where the sleep fails otherwise than by the signal', async () => {
  const { signal } = new AbortController()
  const sleep = (): Promise<void> => Promise.reject(new Error('no timer'))
  await expect(repeatedly({ random: () => 0, sleep }, 1, signal, () => Promise.resolve())).rejects.toThrow('no timer')
})
