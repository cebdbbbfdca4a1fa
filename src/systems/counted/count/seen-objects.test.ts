import { expect, test } from 'vitest'
import { SeenObjects } from './seen-objects.ts'

test('of so many objects the last state is remembered at least, and of twice as many at most', () => {
  const seen = new SeenObjects(3)
  for (let n = 1; n <= 7; n++) {
    seen.saw(`u${n}`, { version: String(n), isGone: true })
    for (let young = Math.max(1, n - 2); young <= n; young++) expect(seen.get(`u${young}`)).toBeDefined()
  }
  expect(seen.get('u1')).toBeUndefined()
})

test('the last state stays, in whatever order states are seen, and the end of an object is the last', () => {
  const seen = new SeenObjects(2)
  seen.saw('a', { version: '8', isGone: false })
  seen.saw('a', { version: '7', isGone: false })
  expect(seen.get('a')).toEqual({ version: '8', isGone: false })
  seen.saw('a', { version: '9', isGone: true })
  seen.saw('a', { version: '10', isGone: false })
  expect(seen.get('a')).toEqual({ version: '9', isGone: true })
})

test('an object that is counted again is forgotten, however long ago it was seen', () => {
  const seen = new SeenObjects(1)
  seen.saw('a', { version: '1', isGone: false })
  seen.saw('b', { version: '2', isGone: false })
  for (const uid of ['a', 'b']) {
    seen.forget(uid)
    expect(seen.get(uid)).toBeUndefined()
  }
})
