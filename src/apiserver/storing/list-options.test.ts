import { expect, test } from 'vitest'
import { flag, parseListOptions } from './list-options.ts'

const parse = (query: string): ReturnType<typeof parseListOptions> => parseListOptions(new URLSearchParams(query))

test('without parameters a list asks for everything, now', () => {
  expect(parse('')).toEqual({
    watch: false,
    limit: 0,
    continue: '',
    resourceVersion: '',
    match: '',
    timeoutSeconds: undefined,
    bookmarks: false,
    sendInitialEvents: false,
  })
})

test('every parameter is read', () => {
  expect(
    parse(
      'watch=true&resourceVersion=5&timeoutSeconds=30&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&limit=7',
    ),
  ).toEqual({
    watch: true,
    limit: 7,
    continue: '',
    resourceVersion: '5',
    match: 'NotOlderThan',
    timeoutSeconds: 30,
    bookmarks: true,
    sendInitialEvents: true,
  })
})

test.each([
  ['x=1', true],
  ['x=true', true],
  ['x', true],
  ['x=', true],
  ['x=yes', true],
  ['x=0', false],
  ['x=false', false],
  ['x=False', false],
  ['', false],
])('the flag in %j is %s', (query, value) => {
  expect(flag(new URLSearchParams(query), 'x')).toBe(value)
})

test.each(['limit=ten', 'limit=1.5', 'timeoutSeconds=1e3', 'limit=99999999999999999999'])(
  '%s is a bad request',
  (query) => {
    expect(() => parse(query)).toThrow(/^strconv\.ParseInt: parsing /)
  },
)

test.each([
  ['abc', 'invalid syntax'],
  ['-1', 'invalid syntax'],
  ['1.5', 'invalid syntax'],
  ['18446744073709551616', 'value out of range'],
])('resourceVersion=%s is invalid', (version, why) => {
  const problem = `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": ${why}`
  expect(() => parse(`resourceVersion=${version}`)).toThrow(problem)
  expect(() => parse(`resourceVersion=${version}&limit=5`)).toThrow(`invalid resource version: ${problem}`)
})

test.each([
  ['limit=', '"": invalid syntax'],
  ['timeoutSeconds=1.5', '"1.5": invalid syntax'],
  ['limit=9223372036854775808', '"9223372036854775808": value out of range'],
])('%s has an invalid number', (query, why) => {
  expect(() => parse(query)).toThrow(`strconv.ParseInt: parsing ${why}`)
})

test('several broken rules are reported together', () => {
  expect(() => parse('resourceVersionMatch=Exact&continue=x')).toThrow(
    'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]',
  )
})

test.each([
  'resourceVersion=1&resourceVersionMatch=Exact',
  'resourceVersion=0&resourceVersionMatch=NotOlderThan',
  'watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
])('%s is allowed', (query) => {
  expect(() => parse(query)).not.toThrow()
})
