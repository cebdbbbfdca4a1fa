import { expect, test } from 'vitest'
import { excess } from '../growth.ts'
import { CLOSER } from './swept-plane.ts'

const COUNT = 1000
const QUICK_MS = 1

/** Keeps the processor busy for so many steps. */
function work(steps: number): void {
  let sum = 0
  for (let step = 0; step < steps; step++) sum = (sum + step) % 1_000_003
  if (sum < 0) throw new Error('a sum of what is not negative is not negative')
}

test('a sweep finds work of which the larger part is quadratic, and takes no linear work for that', async () => {
  const linear = async (count: number): Promise<void> => work(count * 2_000)
  const quadratic = async (count: number): Promise<void> => work(count * 700 + count * count * 2)
  expect(await excess(linear, COUNT, QUICK_MS, CLOSER)).toBeUndefined()
  expect(await excess(quadratic, COUNT, QUICK_MS, CLOSER)).toBeGreaterThan(0)
})
