import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance, nearestWord } from './edit-distance.ts'

/** The definition, without a table: the last characters are equal, or one of the four edits comes last. */
function distanceByDefinition(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [headA, headB] = [a.slice(0, -1), b.slice(0, -1)]
  const isSame = a.at(-1) === b.at(-1)
  const edits = [
    distanceByDefinition(headA, b) + 1,
    distanceByDefinition(a, headB) + 1,
    distanceByDefinition(headA, headB) + (isSame ? 0 : 1),
  ]
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
    edits.push(distanceByDefinition(a.slice(0, -2), b.slice(0, -2)) + 1)
  return Math.min(...edits)
}

describe('the distance of two words', () => {
  test.each([
    ['', '', 0],
    ['pods', 'pods', 0],
    ['', 'pods', 4],
    ['pods', '', 4],
    ['pod', 'pods', 1],
    ['poods', 'pods', 1],
    ['pads', 'pods', 1],
    ['conut', 'count', 1],
    ['ab', 'ba', 1],
    ['abcd', 'badc', 2],
    ['ca', 'abc', 3],
    ['memory', 'cpu', 6],
  ])('%j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })

  test('is the least number of edits', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect([a, b, editDistance(a, b)]).toEqual([a, b, distanceByDefinition(a, b)])
        expect(editDistance(b, a)).toBe(editDistance(a, b))
      }),
      { numRuns: 200 },
    )
  })
})

describe('the nearest word', () => {
  test.each<readonly [string, string, readonly string[], string | undefined]>([
    ['of a word among them is the word', 'pods', ['pod', 'pods', 'podz'], 'pods'],
    ['is the first of those that are as near', 'pids', ['pods', 'pads'], 'pods'],
    ['is the nearest, wherever it stands', 'abcdefg', ['abcdexx', 'abcdefx', 'abcdxxg'], 'abcdefx'],
    ['differs by nothing from one of two characters', 'ab', ['ac', 'abc', 'ba'], undefined],
    ['differs by one from a word of three characters', 'abc', ['abd'], 'abd'],
    ['differs by no two from a word of five characters', 'abcde', ['abcxx', 'abcdefg', 'abc'], undefined],
    ['differs by two from a word of six characters', 'abcdef', ['abcdxx'], 'abcdxx'],
    ['differs by no three from a long word', 'abcdefghijkl', ['abcdefghixxx', 'abcdefghi'], undefined],
    ['of no words is none', 'abc', [], undefined],
  ])('%s', (_, word, words, nearest) => {
    expect(nearestWord(word, words)).toBe(nearest)
  })

  test('of a word of more than a hundred characters is not looked for', () => {
    const word = 'a'.repeat(100)
    expect(nearestWord(word, [`${word}b`])).toBe(`${word}b`)
    expect(nearestWord(`${word}b`, [word, `${word}b`])).toBeUndefined()
  })
})
