import { expect, test } from 'vitest'
import { headProblem, MAX_HEADER_FIELDS, MAX_QUERY_PARAMETERS } from './bounds.ts'

const fields = (count: number): string[] => Array.from({ length: count }, () => ['a', 'b']).flat()
const pseudo = [':method', 'GET', ':path', '/', ':scheme', 'https', ':authority', 'x']

test.each([
  ['as many fields as may be', '/', fields(MAX_HEADER_FIELDS), undefined],
  ['one field more', '/', fields(MAX_HEADER_FIELDS + 1), 431],
  ['as many fields as may be, of HTTP/2', '/', [...pseudo, ...fields(MAX_HEADER_FIELDS)], undefined],
  ['one field more, of HTTP/2', '/', [...pseudo, ...fields(MAX_HEADER_FIELDS + 1)], 431],
  ['as many parameters as may be', `/?${'a&'.repeat(MAX_QUERY_PARAMETERS - 1)}a`, [], undefined],
  ['one parameter more', `/?${'a&'.repeat(MAX_QUERY_PARAMETERS)}a`, [], 431],
  ['many of what separates parameters, but in the path', `/${'&'.repeat(2 * MAX_QUERY_PARAMETERS)}`, [], undefined],
])('%s: %s', (_, url, rawHeaders, code) => {
  expect(headProblem({ url, rawHeaders })?.status.code).toBe(code)
})
