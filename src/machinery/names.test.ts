import { growth } from '../../test/growth.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  label1035Name,
  labelName,
  pathSegmentName,
  subdomainName,
  utf8Length,
} from './names.ts'

const KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

describe('isQualifiedName', () => {
  test.each(['a', 'A_b.c-d', 'example.com/a', '1234/5678', 'a'.repeat(63), `${'a'.repeat(253)}/b`])(
    'accepts %s',
    (name) => {
      expect(isQualifiedName(name)).toEqual([])
    },
  )

  test.each<[string, readonly string[]]>([
    ['', ['name part must be non-empty', `name part ${KEY}`]],
    ['/', ['prefix part must be non-empty', 'name part must be non-empty', `name part ${KEY}`]],
    ['/a', ['prefix part must be non-empty']],
    ['-a', [`name part ${KEY}`]],
    ['a'.repeat(64), ['name part must be no more than 63 bytes']],
    ['é'.repeat(32), ['name part must be no more than 63 bytes', `name part ${KEY}`]],
    ['A.com/a', [`prefix part ${SUBDOMAIN}`]],
    [`${'a'.repeat(254)}/a`, ['prefix part must be no more than 253 bytes']],
    ['a/b/c', [`a valid label key ${KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
  ])('refuses %s with the standard texts', (name, texts) => {
    expect(isQualifiedName(name)).toEqual(texts)
  })
})

test('a DNS subdomain is refused with the standard texts', () => {
  expect(isDNS1123Subdomain('a.b-c.1')).toEqual([])
  expect(isDNS1123Subdomain('a..b')).toEqual([SUBDOMAIN])
  expect(isDNS1123Subdomain('a\n')).toEqual([SUBDOMAIN])
  expect(isDNS1123Subdomain('A'.repeat(254))).toEqual(['must be no more than 253 bytes', SUBDOMAIN])
})

test('a DNS label is refused with the standard texts', () => {
  expect(isDNS1123Label('a'.repeat(63))).toEqual([])
  expect(isDNS1123Label('a'.repeat(64))).toEqual(['must be no more than 63 bytes'])
  expect(isDNS1123Label('a.b')).toEqual(['must not contain dots'])
  expect(isDNS1123Label('')).toEqual([LABEL])
  expect(isDNS1035Label('1a')).toEqual([LABEL_1035])
  expect(isDNS1035Label('a1')).toEqual([])
})

test('a label’s value may be empty', () => {
  expect(isValidLabelValue('')).toEqual([])
  expect(isValidLabelValue('a'.repeat(64))).toEqual(['must be no more than 63 bytes'])
})

test('a path segment is neither a dot nor two, and has no slash or percent sign', () => {
  expect(pathSegmentName('..', false)).toEqual(["may not be '..'"])
  expect(pathSegmentName('..', true)).toEqual([])
  expect(pathSegmentName('a/%', false)).toEqual(["may not contain '/'", "may not contain '%'"])
  expect(pathSegmentName('A:b', false)).toEqual([])
})

test('a generateName may end in a dash, a name may not', () => {
  expect(subdomainName('a-', true)).toEqual([])
  expect(labelName('a-', true)).toEqual([])
  expect(label1035Name('a-', true)).toEqual([])
  expect(subdomainName('a-', false)).toEqual([SUBDOMAIN])
  expect(subdomainName('-', true)).toEqual([SUBDOMAIN])
})

test('bytes are counted as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00') }), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text))
    }),
  )
  expect(utf8Length('\ud800a\udc00')).toBe(7)
})

test.each([
  ['a', '!'],
  ['a.', '!'],
  ['a-', ''],
])('refusing a long text of %j takes time linear in its length', (unit, end) => {
  const refuse = (size: number): void => {
    const text = unit.repeat(size) + end
    for (const rule of [isQualifiedName, isDNS1123Subdomain, isDNS1123Label]) expect(rule(text)).not.toEqual([])
  }
  expect(growth(refuse, 20_000, 10)).toBeLessThan(50)
})
