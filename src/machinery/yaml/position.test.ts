import { expect, test } from 'vitest'
import { yamlPosition } from './position.ts'

const TEXT = `kind: K
items:
  - name: a
    scopes:
      - {operator: In}
  - name: b
    hard:
      pods: 1
      example.com/a.b: 2
`

test.each([
  ['kind', 1, 1],
  ['items', 2, 1],
  ['items[0]', 3, 5],
  ['items[0].scopes[0].operator', 5, 10],
  ['items[1].name', 6, 5],
  ['items[1].hard[example.com/a.b]', 9, 7],
  ['items[1].hard[pods]', 8, 7],
])('finds %s', (path, line, column) => {
  expect(yamlPosition(TEXT, path)).toEqual({ line, column })
})

test.each([
  ['items[1].scopes[3].values', 6, 5],
  ['items[7]', 2, 1],
  ['items[1].hard[example.com/a]', 7, 5],
  ['other', 1, 1],
  ['', 1, 1],
])('of what is missing (%s) finds what is nearest above', (path, line, column) => {
  expect(yamlPosition(TEXT, path)).toEqual({ line, column })
})

test('a text without content begins at its beginning', () => {
  expect(yamlPosition('', 'a.b')).toEqual({ line: 1, column: 1 })
})
