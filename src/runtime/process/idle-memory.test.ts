import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveBackIdleMemory } from './idle-memory.ts'

const MIB = 2 ** 20

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const state = { at: 0, cpuMs: 0, heap: 20 * MIB, collected: 0 }
  const end = giveBackIdleMemory({
    monotonic: () => state.at,
    cpuMs: () => state.cpuMs,
    heapBytes: () => state.heap,
    collect: () => {
      state.collected++
      state.heap = Math.min(state.heap, 80 * MIB)
    },
  })
  const pass = (ms: number, cpuMs: number): void => {
    state.at += ms
    state.cpuMs += cpuMs
    vi.advanceTimersByTime(ms)
  }
  return { state, pass, end }
}

test('memory that work left behind is given back once, when the work is over', () => {
  const { state, pass } = setUp()
  state.heap = 400 * MIB
  pass(5000, 3000)
  expect(state.collected).toBe(0)
  pass(5000, 20)
  expect([state.collected, state.heap]).toEqual([1, 80 * MIB])
  pass(60_000, 60)
  expect(state.collected).toBe(1)
})

test('little is not worth the pause', () => {
  const { state, pass } = setUp()
  state.heap = 30 * MIB
  pass(60_000, 60)
  expect(state.collected).toBe(0)
})

test('nothing is done any more after the end', () => {
  const { state, pass, end } = setUp()
  state.heap = 400 * MIB
  end()
  pass(60_000, 60)
  expect(state.collected).toBe(0)
})

test('a process can do it to itself', () => {
  vi.useRealTimers()
  const end = giveBackIdleMemory()
  expect(end()).toBeUndefined()
})
