import { expect, test } from 'vitest'
import { nothingText } from './nothing-text.ts'

const FOUND = 'No refusal was found.'
const refused = (...resources: readonly string[]) =>
  resources.map((resource) => ({ resource, reason: 'you may not list them' }))

test('says that nothing was found where all kinds behind the list were seen', () => {
  expect(nothingText(FOUND, [], ['events'])).toBe(FOUND)
  expect(nothingText(FOUND, refused('pods'), ['events'])).toBe(FOUND)
})

test('says that it is unknown where a kind behind the list was not seen', () => {
  expect(nothingText(FOUND, refused('events', 'pods'), ['events'])).toBe('Unknown: you may not list events.')
  expect(nothingText(FOUND, refused('a', 'b', 'x'), (one) => one !== 'x')).toBe('Unknown: you may not list a and b.')
  expect(nothingText(FOUND, refused('a', 'b', 'c', 'd', 'e'), () => true)).toBe(
    'Unknown: you may not list a, b, c and 2 more kinds.',
  )
  expect(nothingText(FOUND, refused('a', 'b', 'c', 'd'), () => true)).toBe(
    'Unknown: you may not list a, b, c and 1 more kind.',
  )
})

test('does not blame the rights of the viewer for an answer that failed', () => {
  const failed = [{ resource: 'events', reason: 'the API server does not give them: it is busy' }]
  expect(nothingText(FOUND, failed, ['events'])).toBe('Unknown: the API server does not give events.')
})
