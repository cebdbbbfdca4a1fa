import { describe, expect, test, vi } from 'vitest'
import { WorkQueue } from './work-queue.ts'

/** Work that ends only when asked to. */
class Gate {
  readonly started: string[] = []
  readonly #open: (() => void)[] = []

  readonly work = (key: string): Promise<void> => {
    this.started.push(key)
    return new Promise((resolve) => this.#open.push(resolve))
  }

  /** Ends the oldest work that runs. */
  async finish(): Promise<void> {
    this.#open.shift()?.()
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const noError = (key: string, error: unknown): void => {
  throw new Error(`${key}: ${String(error)}`)
}

test('keys are worked on in the order in which they came', async () => {
  const done: string[] = []
  const queue = new WorkQueue({ work: async (key) => void done.push(key), onError: noError })
  for (const key of ['c', 'a', 'b']) queue.add(key)
  await queue.whenIdle()
  expect(done).toEqual(['c', 'a', 'b'])
})

test('a key that waits already is not queued again', async () => {
  const gate = new Gate()
  const queue = new WorkQueue({ work: gate.work, onError: noError })
  for (const key of ['a', 'b', 'b', 'b']) queue.add(key)
  await settled()
  await gate.finish()
  await gate.finish()
  await queue.whenIdle()
  expect(gate.started).toEqual(['a', 'b'])
})

test('a key that is added while it is worked on is worked on once more, and never by two at a time', async () => {
  const gate = new Gate()
  const queue = new WorkQueue({ work: gate.work, onError: noError, workers: 4 })
  queue.add('a')
  await settled()
  for (let i = 0; i < 3; i++) queue.add('a')
  await settled()
  expect(gate.started).toEqual(['a'])
  await gate.finish()
  expect(gate.started).toEqual(['a', 'a'])
  await gate.finish()
  await queue.whenIdle()
  expect(gate.started).toEqual(['a', 'a'])
})

test('no more keys are worked on at once than there are workers', async () => {
  const gate = new Gate()
  const queue = new WorkQueue({ work: gate.work, onError: noError, workers: 2 })
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
  await settled()
  expect(gate.started).toEqual(['a', 'b'])
  await gate.finish()
  expect(gate.started).toEqual(['a', 'b', 'c'])
  for (let i = 0; i < 3; i++) await gate.finish()
  await queue.whenIdle()
})

describe('failures', () => {
  test('are reported and tried again, each time after twice as long, until one succeeds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const errors: unknown[] = []
      let left = 3
      let runs = 0
      const queue = new WorkQueue({
        work: async () => {
          runs++
          if (left-- > 0) throw new Error(`${left} left`)
        },
        onError: (key, error) => void errors.push([key, String(error)]),
      })
      queue.add('a')
      await settled()
      for (const [wait, before, after] of [
        [5, 1, 2],
        [10, 2, 3],
        [20, 3, 4],
      ] as const) {
        vi.advanceTimersByTime(wait - 1)
        await settled()
        expect(runs).toBe(before)
        vi.advanceTimersByTime(1)
        await settled()
        expect(runs).toBe(after)
      }
      expect(errors).toEqual([
        ['a', 'Error: 2 left'],
        ['a', 'Error: 1 left'],
        ['a', 'Error: 0 left'],
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  test('of one key hold up no other', async () => {
    const done: string[] = []
    const queue = new WorkQueue({
      work: async (key) => {
        if (key === 'bad') throw new Error('no')
        done.push(key)
      },
      onError: () => undefined,
    })
    for (const key of ['bad', 'a', 'b']) queue.add(key)
    await queue.whenIdle()
    expect(done).toEqual(['a', 'b'])
    await queue.stop()
  })
})

test('a key can be added for later', async () => {
  const done: string[] = []
  const queue = new WorkQueue({ work: async (key) => void done.push(key), onError: noError })
  queue.addAfter('later', 5)
  queue.add('now')
  await expect.poll(() => done).toEqual(['now', 'later'])
})

describe('a later try', () => {
  test('is one for each key, however often it is asked for or work fails: the earliest', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      let runs = 0
      const queue: WorkQueue = new WorkQueue({
        work: async (key) => {
          runs++
          for (const delay of [9_000, 8_000, 20_000]) queue.retryAfter(key, delay)
          if (runs > 1) throw new Error('no')
        },
        onError: () => undefined,
      })
      for (let i = 0; i < 5; i++) {
        queue.add('a')
        await settled()
        expect([runs, vi.getTimerCount()]).toEqual([i + 1, 1])
      }
      vi.advanceTimersByTime(10_000)
      await settled()
      expect([runs, vi.getTimerCount()]).toEqual([6, 1])
      await queue.stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('stopping', () => {
  test('waits for running work, aborts its signal, and drops waiting work', async () => {
    const gate = new Gate()
    let lastSignal: AbortSignal | undefined
    const queue = new WorkQueue({
      work: (key, signal) => {
        lastSignal = signal
        return gate.work(key)
      },
      onError: noError,
    })
    for (const key of ['a', 'b']) queue.add(key)
    queue.addAfter('c', 1)
    await settled()
    queue.add('a')
    let stopped = false
    const stopping = queue.stop().then(() => (stopped = true))
    await settled()
    expect([stopped, lastSignal?.aborted]).toEqual([false, true])
    await gate.finish()
    await stopping
    queue.add('d')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(gate.started).toEqual(['a'])
  })

  test('an idle queue is at once', async () => {
    await expect(new WorkQueue({ work: async () => undefined, onError: noError }).stop()).resolves.toBeUndefined()
  })
})
