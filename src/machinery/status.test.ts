import { expect, test } from 'vitest'
import { invalid as wrong } from './field-error.ts'
import { invalid } from './status.ts'

const OF = { group: '', kind: 'ConfigMap' }

test('a Status lists as many errors as fit, and counts the others', () => {
  const { status } = invalid(
    OF,
    'a',
    Array.from({ length: 1500 }, (_, index) => wrong(`a[${index}]`, index, 'no')),
  )
  expect(status.details?.causes).toHaveLength(1000)
  expect(status.message).toMatch(/, and 500 more\]$/)
})

test('a Status says of many errors that there may be more: no more are looked for', () => {
  const many = Array.from({ length: 2000 }, (_, index) => wrong(`a[${index}]`, index, 'no'))
  expect(invalid(OF, 'a', many).status.message).toMatch(/, and at least 1000 more\]$/)
})

test('errors that each print a large value are listed up to a bound of the whole text', () => {
  const value = Array.from({ length: 50_000 }, (_, index) => `scope-${index}`)
  const { status } = invalid(
    OF,
    'a',
    Array.from({ length: 1000 }, (_, index) => wrong(`a[${index}]`, value, 'no')),
  )
  expect(JSON.stringify(status).length).toBeLessThan(64 * 1024 * 1024)
  expect(status.message).toMatch(/, and \d+ more\]$/)
})

test('a single error is listed however long it is', () => {
  const { status } = invalid(OF, 'a', [wrong('a', 'x'.repeat(10_000_000), 'no')])
  expect(status.details?.causes).toHaveLength(1)
})
