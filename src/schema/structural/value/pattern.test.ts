import { describe, expect, test } from 'vitest'
import { compilePattern, patternErrors } from './pattern.ts'

const schema = (patterns: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(patterns.map((pattern, index) => [`f${index}`, { type: 'string', pattern }])),
})

describe('the patterns of one schema', () => {
  test('may be many', () => {
    const patterns = Array.from({ length: 500 }, (_, index) => `^[a-z]{1,20}-${index}$`)
    expect(patternErrors(schema(patterns), 'schema')).toEqual([])
  })

  test('are refused when they would take long to compile, however short they are', { timeout: 60_000 }, () => {
    const patterns = Array.from({ length: 2000 }, (_, index) => `x{1000}${index}`)
    expect(patternErrors(schema(patterns), 'schema')).toMatchObject([
      {
        path: expect.stringMatching(/^schema\.properties\.f\d+\.pattern$/),
        detail: expect.stringContaining('too large'),
      },
    ])
  })

  test('count once when they are the same', () => {
    expect(patternErrors(schema(Array.from({ length: 2000 }, () => 'y{1000}')), 'schema')).toEqual([])
  })
})

test('a pattern is compiled once, and an invalid one is rejected again', () => {
  expect(compilePattern('a+')).toBe(compilePattern('a+'))
  expect(compilePattern('a(')).toEqual({ problem: expect.stringContaining('missing closing )') })
  expect(compilePattern('a(')).toEqual({ problem: expect.stringContaining('missing closing )') })
})
