import { expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { formatTest, isKnownFormat } from './formats.ts'

// The verdicts of kube-openapi's strfmt, built with Go 1.26.
test.each<[string, readonly string[], readonly string[]]>([
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901', '']],
  ['byte', ['aGVsbG8=', 'aGVsbG8h'], ['', 'A===', 'a']],
  ['cidr', ['10.0.0.0/8', '010.0.0.1/08', '2001:db8::/32'], ['10.0.0.1/33', '10.0.0.1', '::1/129']],
  ['creditcard', ['4220 8554 2622 2389', '5139288802098206'], ['4220855426213389', '']],
  ['date', ['2020-02-29'], ['2019-02-29', '2020-13-01', '20-01-01']],
  [
    'date-time',
    ['2014-12-15T19:30:20.000Z', '2014-12-15t19:30:20+01:00'],
    ['2014-12-15T24:30:20Z', '2014-12-15T19:30:20'],
  ],
  ['duration', ['22 ns', '1h30m', '-1.5h', '0', '3 weeks'], ['', '5', '1 fortnight']],
  ['email', ['a@b.c', 'A B <a@b.c>', '"x y"@b.c', 'a@[1.2.3.4]'], ['a@', 'a..b@c', 'a@b, c@d', 'a@[x]']],
  ['hexcolor', ['#fff', 'FFFFFF'], ['#ffff']],
  ['hostname', ['example.com', 'a', 'exämple.com', '1.1.1a.com'], ['-a.com', 'example.c', 'a-.com', 'ex_ample.com']],
  ['ipv4', ['1.1.1.1', '01.1.1.1', '::ffff:1.2.3.4'], ['256.1.1.1', '1.1.1', '::1']],
  ['ipv6', ['::', '2001:db8::1', '::1.2.3.4'], ['1::2::3', 'fe80::1%eth0', '::01.2.3.4', '1.1.1.1']],
  ['isbn', ['3 401 01319 X', '978-3-8362-2119-1'], ['3423214121', '9784873113686']],
  ['k8s-long-name', ['a.b.c'], ['a..b', 'A.b']],
  ['k8s-short-name', ['a-b'], ['a.b', '-a', 'a'.repeat(64)]],
  ['mac', ['00:00:5e:00:53:01', '0000.5e00.5301'], ['00:00-5e:00:53:01', '00:00:5e:00:53']],
  ['rgbcolor', ['rgb( 0,  31 , 255 )'], ['rgb(1,349,275)', 'rgb(01,31,255)']],
  ['ssn', ['123-45-6789'], ['123456789']],
  [
    'uri',
    ['http://foo.bar/#com', '/abs', 'mailto:a@b', 'http://[::1]:80/'],
    ['', 'foo', './rel', 'http://a b/', 'http://a/%zz'],
  ],
  ['uuid', ['F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'], ['f81d4fae-7dec-11d0-a765-00a0c91e6bf']],
  ['uuid4', ['f81d4fae-7dec-41d0-a765-00a0c91e6bf6'], ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6']],
])('the format %s accepts and rejects what Go does', (format, good, bad) => {
  const matches = formatTest(format)
  expect(good.filter((text) => matches?.(text) !== true)).toEqual([])
  expect(bad.filter((text) => matches?.(text) !== false)).toEqual([])
})

test('formats belong to types, and unknown ones are ignored', () => {
  expect(isKnownFormat('int32', ['integer'])).toBe(true)
  expect(isKnownFormat('int32', ['string'])).toBe(false)
  expect(isKnownFormat('datetime', [])).toBe(true)
  expect(isKnownFormat('hex', ['string'])).toBe(false)
  expect(isKnownFormat('date', ['boolean'])).toBe(false)
})

test('long texts are checked in linear time', () => {
  const judge = (size: number): void => {
    const texts = ['1', ' ', 'a@', 'a.', '('].map((part) => `${part.repeat(size / part.length)}!`)
    for (const format of ['email', 'duration', 'hostname', 'uri', 'byte', 'date-time', 'rgbcolor', 'isbn', 'ipv6']) {
      for (const text of texts) for (const one of [text, text.slice(0, -1)]) formatTest(format)?.(one)
    }
  }
  expect(growth(judge, 10_000, 10)).toBeLessThan(50)
})
