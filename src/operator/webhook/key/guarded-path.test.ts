import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardedPath, PathOpener, seemsGuarded } from './guarded-path.ts'

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const paths = fc
  .array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,12}[a-z0-9])?$/), { minLength: 1, maxLength: 5 })
  .map((segments) => `/${segments.join('/')}`)
const openedPath = (guarded: string, all: readonly Buffer[]): string | undefined =>
  new PathOpener().opened(guarded, all)

test('a path is opened by its own part, whichever of the accepted keys made it, and by no other text', () => {
  fc.assert(
    fc.property(
      paths,
      paths,
      fc.uniqueArray(keys, { minLength: 2, maxLength: 3, selector: String }),
      (path, other, all) => {
        const [key, ...others] = all
        if (key === undefined) return
        const guarded = guardedPath(path, key)
        expect(openedPath(guarded, all)).toBe(path)
        expect(openedPath(guarded, others)).toBeUndefined()
        expect(openedPath(guarded, [])).toBeUndefined()
        const part = guarded.slice(path.length)
        if (other !== path) expect(openedPath(`${other}${part}`, all)).toBeUndefined()
        // Only the whole part opens the path: no prefix of it, nothing before or behind it, and no other case.
        for (let length = 0; length < guarded.length; length++)
          expect(openedPath(guarded.slice(0, length), all)).toBeUndefined()
        for (const text of [`${guarded}/`, `${guarded}0`, `/${guarded}`, `${part}${path}`, `${path}/${part}`])
          expect(openedPath(text, all)).toBeUndefined()
        if (/[a-f]/.test(part)) expect(openedPath(`${path}${part.toUpperCase()}`, all)).toBeUndefined()
      },
    ),
  )
})

test('the paths that were opened before open no other text, and nothing once their key is not accepted', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(keys, { minLength: 2, maxLength: 3, selector: String }),
      fc.array(fc.record({ path: fc.nat(1), key: fc.nat(2), flipped: fc.option(fc.nat(31)), accepted: fc.nat(3) })),
      (all, calls) => {
        const opener = new PathOpener()
        for (const { path: at, key: by, flipped, accepted } of calls) {
          const path = ['/claims', '/custom-quotas/calculations'][at] ?? ''
          const key = all[by % all.length] ?? Buffer.of()
          const guarded = guardedPath(path, key)
          const digit = guarded.length - 1 - (flipped ?? 0)
          const other = guarded[digit] === '0' ? '1' : '0'
          const sent = flipped === null ? guarded : `${guarded.slice(0, digit)}${other}${guarded.slice(digit + 1)}`
          const opens = all.slice(0, accepted)
          expect(opener.opened(sent, opens)).toBe(flipped === null && opens.includes(key) ? path : undefined)
        }
      },
    ),
  )
})

test('every digit of the part counts', () => {
  const key = Buffer.alloc(32, 7)
  const guarded = guardedPath('/custom-quotas/calculations', key)
  for (let at = guarded.length - 32; at < guarded.length; at++) {
    const other = guarded[at] === '0' ? '1' : '0'
    expect(openedPath(`${guarded.slice(0, at)}${other}${guarded.slice(at + 1)}`, [key])).toBeUndefined()
  }
})

test('API servers take the part in the path of a Service, and an URL without it is recognized', () => {
  fc.assert(
    fc.property(paths, keys, (path, key) => {
      const guarded = guardedPath(path, key)
      for (const segment of guarded.slice(1).split('/')) expect(segment).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
      expect(
        [guarded, path, `https://hooks.test:1${guarded}`, `https://hooks.test:1${path}`].map(seemsGuarded),
      ).toEqual([true, false, true, false])
    }),
  )
})

test('a path longer than those of webhooks is not looked at', () => {
  const key = Buffer.alloc(32, 7)
  expect(openedPath(guardedPath(`/${'a'.repeat(300)}`, key), [key])).toBeUndefined()
})
