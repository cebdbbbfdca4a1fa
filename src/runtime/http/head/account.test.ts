import { expect, test } from 'vitest'
import { HeadAccount } from './account.ts'

const KIB = 1024
const large = (kib: number): readonly string[] => ['x-field', 'x'.repeat(kib * KIB)]

test('the large heads of one user are bounded, and those of others are not in the way', () => {
  const account = new HeadAccount({ all: 100 * KIB, user: 50 * KIB })
  const release = account.hold('jane', large(30), '/')
  expect(() => account.hold('jane', large(30), '/')).toThrow('large headers')
  account.hold('jack', large(30), '/')
  release?.()
  expect(account.hold('jane', large(30), '/')).toBeDefined()
})

test('all large heads together are bounded, with their paths, and nothing is left of what is over', () => {
  const account = new HeadAccount({ all: 100 * KIB, user: 60 * KIB })
  const releases = ['a', 'b'].map((user) => account.hold(user, [], 'x'.repeat(45 * KIB)))
  expect(() => account.hold('c', large(45), '/')).toThrow('large headers')
  for (const release of releases) release?.()
  expect(account.total).toBe(0)
})

test('an ordinary head is not counted', () => {
  const account = new HeadAccount({ all: 0, user: 0 })
  expect(account.hold('jane', ['authorization', `Bearer ${'x'.repeat(2000)}`], '/api')).toBeUndefined()
})
