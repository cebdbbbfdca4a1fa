import { expect, test } from 'vitest'
import { ApiError } from './status.ts'
import { MOST_WEIGHT, refuseHeavy } from './value-weight.ts'

const refusal = (value: unknown): number | undefined => {
  try {
    refuseHeavy(value)
  } catch (error) {
    return error instanceof ApiError ? error.status.code : undefined
  }
  return undefined
}

test('a value may hold a hundred thousand objects, or a million texts', () => {
  const objects = (count: number): unknown => Array.from({ length: count }, () => ({}))
  const texts = (count: number): unknown => Array.from({ length: count }, () => '')
  expect([refusal(objects(MOST_WEIGHT / 10 - 1)), refusal(objects(MOST_WEIGHT / 10))]).toEqual([undefined, 413])
  expect([refusal(texts(MOST_WEIGHT - 10)), refusal(texts(MOST_WEIGHT - 9))]).toEqual([undefined, 413])
})
