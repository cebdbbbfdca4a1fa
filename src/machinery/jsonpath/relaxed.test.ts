import { expect, test } from 'vitest'
import { relaxedJsonPath } from './relaxed.ts'

test.each(['x.y', '.x.y', '{x.y}', '{.x.y}'])('the relaxed form %s means {.x.y}', (path) => {
  expect(relaxedJsonPath(path)).toBe('{.x.y}')
})

test('an empty relaxed path stays empty', () => {
  expect(relaxedJsonPath('')).toBe('')
})

test.each(['{', '{}', '{.x}{.y}', '{.x', 'a{b'])('%j is not a relaxed path', (path) => {
  expect(() => relaxedJsonPath(path)).toThrow(
    "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  )
})
