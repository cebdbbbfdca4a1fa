import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { afterRunning, type StepTimer } from './running-time.ts'

/** A loop that runs and stands still as the test asks. */
class Loop implements StepTimer {
  #now = 0
  readonly #waiting = new Set<{ readonly at: number; readonly over: () => void }>()

  readonly monotonic = (): number => this.#now
  readonly after = (ms: number, over: () => void): (() => void) => {
    const entry = { at: this.#now + ms, over }
    this.#waiting.add(entry)
    return () => this.#waiting.delete(entry)
  }

  get waits(): number {
    return this.#waiting.size
  }

  run(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#waiting].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#waiting.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.over()
    }
    this.#now = end
  }

  /** Time passes; what is due has its turn only afterwards. */
  stall(ms: number): void {
    this.#now += ms
    this.run(0)
  }
}

function started(ms: number): { readonly loop: Loop; readonly isOver: () => boolean; readonly cancel: () => void } {
  const loop = new Loop()
  let over = false
  const cancel = afterRunning(ms, () => (over = true), loop)
  return { loop, isOver: () => over, cancel }
}

test('a time that the loop runs through is over when it has passed', () => {
  for (const ms of [1, 10, 999, 10_000, 30_000, 600_000]) {
    const { loop, isOver } = started(ms)
    loop.run(ms - 0.01)
    expect(isOver(), `${ms}`).toBe(false)
    loop.run(0.01)
    expect(isOver(), `${ms}`).toBe(true)
    expect(loop.waits).toBe(0)
  }
})

test('a stall uses up one step at most, wherever it falls', () => {
  for (const ran of [0, 1, 5000, 9000, 9400]) {
    const { loop, isOver } = started(10_000)
    loop.run(ran)
    loop.stall(60_000)
    loop.run(Math.min(499, 10_000 - ran - 501))
    expect(isOver(), `${ran}`).toBe(false)
    loop.run(10_000 - ran)
    expect(isOver(), `${ran}`).toBe(true)
  }
})

test('however long a time is, it is waited for in few steps', () => {
  for (const ms of [10, 10_000, 30_000, 600_000, 86_400_000]) {
    let steps = 0
    const loop = new Loop()
    const counting = {
      monotonic: loop.monotonic,
      after: (step: number, over: () => void) => (steps++, loop.after(step, over)),
    }
    afterRunning(ms, () => undefined, counting)
    loop.run(ms)
    expect(steps, `${ms}`).toBeLessThanOrEqual(61)
  }
})

test('a stall in the last step leaves one more for what waited', () => {
  const { loop, isOver } = started(10_000)
  loop.run(9999)
  loop.stall(60_000)
  loop.run(499)
  expect(isOver()).toBe(false)
  loop.run(1)
  expect(isOver()).toBe(true)
})

test('a wait that was ended does not call back', () => {
  const { loop, isOver, cancel } = started(1000)
  loop.run(500)
  cancel()
  loop.run(5000)
  expect([isOver(), loop.waits]).toEqual([false, 0])
})

test('input that arrived while the real loop stood still is read first', async () => {
  const server = createServer((socket) => socket.end('an answer'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const events: string[] = []
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
  const read = new Promise((resolve) => socket.on('data', () => resolve(events.push('answer'))))
  const over = new Promise((resolve) => afterRunning(80, () => resolve(events.push('over'))))
  const end = performance.now() + 300
  while (performance.now() < end);
  await Promise.all([read, over])
  server.close()
  expect(events).toEqual(['answer', 'over'])
})
