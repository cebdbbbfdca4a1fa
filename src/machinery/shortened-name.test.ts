import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDNS1123Subdomain, isValidLabelValue } from './names.ts'
import { shortenedName } from './shortened-name.ts'
import { textHash } from './text-hash.ts'

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/)
const subdomain = fc.array(label, { minLength: 1, maxLength: 20 }).map((labels) => labels.join('.'))
const piece = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.constantFrom('ä', '漢', '😀', '\ud800'))
const anyText = fc.array(piece).map((pieces) => pieces.join(''))

test.each([
  ['', 'cbf29ce484222325'],
  ['a', 'af63dc4c8601ec8c'],
  ['foobar', '85944171f73967e8'],
])('the hash of "%s" is the one that FNV-1a is published with', (text, hash) => {
  expect(textHash(text)).toBe(hash)
})

test('a shortened name keeps its beginning and never ends it with a dot or a dash', () => {
  expect(shortenedName('berth.north', 23)).toBe(`berth-${textHash('berth.north')}`)
  expect(shortenedName('berth.north', 24)).toBe(`berth.n-${textHash('berth.north')}`)
  expect(shortenedName('---', 40)).toBe(textHash('---'))
})

test('of a DNS subdomain it makes another one that fits', () => {
  fc.assert(
    fc.property(subdomain, fc.integer({ min: 20, max: 253 }), (name, max) => {
      const short = shortenedName(name, max)
      expect(isDNS1123Subdomain(short)).toEqual([])
      expect(short.length).toBeLessThanOrEqual(max)
    }),
  )
})

test('of any text it makes the value of a label', () => {
  fc.assert(
    fc.property(anyText, (name) => {
      expect(isValidLabelValue(shortenedName(name, 63))).toEqual([])
    }),
  )
})
