import { expect, test } from 'vitest'
import { UsageClock } from './usage-clock.ts'

test('a namespace that was not counted has to be counted', () => {
  const clock = new UsageClock()
  expect(clock.moves('a', 10)).toBe(true)
  clock.note('a', 5)
  expect(clock.at('a')).toBeUndefined()
})

test('time moves on by itself, in both directions, while no expiry is passed', () => {
  const clock = new UsageClock()
  clock.set('a', 100, [50, 100, 200])
  expect(clock.moves('a', 51)).toBe(false)
  expect(clock.moves('a', 100)).toBe(false)
  expect(clock.at('a')).toBe(100)
  expect(clock.next('a')).toBe(100)
})

test.each([
  [101, 'the millisecond after the next expiry'],
  [50, 'the millisecond of the last expiry'],
])('to move to %i, %s, takes a count', (to) => {
  const clock = new UsageClock()
  clock.set('a', 100, [50, 100, 200])
  expect(clock.moves('a', to)).toBe(true)
  expect(clock.at('a')).toBe(100)
  expect(clock.moved(to)).toEqual(['a'])
})

test('an object that is stored in the millisecond of its expiry is counted until the next one', () => {
  const clock = new UsageClock()
  clock.set('a', 100, [])
  clock.note('a', 100)
  expect(clock.moves('a', 100)).toBe(false)
  expect(clock.moves('a', 101)).toBe(true)
})

test('an object that is stored after its expiry is counted again when the clock goes back', () => {
  const clock = new UsageClock()
  clock.set('a', 100, [])
  clock.note('a', 99)
  expect(clock.moves('a', 100)).toBe(false)
  expect(clock.moves('a', 99)).toBe(true)
})
