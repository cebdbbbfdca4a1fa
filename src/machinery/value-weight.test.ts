import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from './status.ts'
import { MOST_WEIGHT, refuseHeavy, refuseHeavyText } from './value-weight.ts'

const refusal = (value: unknown): number | undefined => refusalBy(() => refuseHeavy(value))
const refusalBy = (refuse: () => void): number | undefined => {
  try {
    refuse()
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

test('a JSON text holds as much as what is made of it', () => {
  const weightOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + weightOf(one), 10)
      : 1
  const spellings = (value: unknown): readonly string[] => [JSON.stringify(value), JSON.stringify(value, undefined, 2)]
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const weight = weightOf(value)
      for (const text of spellings(value)) {
        expect(refusalBy(() => refuseHeavyText(text, weight))).toBeUndefined()
        // A short text is not looked at, however small the bound.
        const padded = `${' '.repeat(weight)}${text}`
        expect(refusalBy(() => refuseHeavyText(padded, weight - 1))).toBe(413)
      }
    }),
  )
})
