import { describe, expect, test } from 'vitest'
import { countLines, countVectors, vectorFiles } from '../../scripts/vectors.ts'

describe('of the counts that make test prints', () => {
  test.each([...vectorFiles()])('every case of %s is counted once', (file, cases) => {
    const tests = Array.from({ length: cases }, (_, index) => ({
      fullName: `a suite ${file}${index % 2 === 0 ? '#group' : ''}: case ${index}${index === 0 ? ' differs on purpose: so' : ''}`,
      status: 'passed',
    }))
    const counts = countVectors([...tests, { fullName: 'another test', status: 'passed' }], new Map([[file, cases]]))
    expect(counts).toEqual([{ file, cases, seen: cases, passed: cases - 1, differing: 1 }])
  })

  test('a case without a test is missing, one that failed has not passed, and the sum is printed last', () => {
    const counts = countVectors(
      [
        { fullName: 'kubernetes/a.json: one', status: 'passed' },
        { fullName: 'kubernetes/a.json: two', status: 'failed' },
      ],
      new Map([
        ['kubernetes/a.json', 3],
        ['kubernetes/b.json', 1],
      ]),
    )
    expect(countLines(counts)).toEqual([
      'kubernetes/a.json: 3 cases, 1 passed, 0 differ on purpose',
      'kubernetes/b.json: 1 cases, 0 passed, 0 differ on purpose',
      'kubernetes vectors: 4 cases, 1 passed, 0 differ on purpose',
    ])
    expect(counts.map(({ seen }) => seen)).toEqual([2, 0])
  })
})
