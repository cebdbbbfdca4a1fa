import { describe, expect, test } from 'vitest'
import { ipAddressOf, isIP } from './ip-address.ts'

describe('the family of an address', () => {
  test.each([
    ['10.9.8.7', 4],
    ['2001:db8::ffff', 6],
    ['::ffff:1.2.3.4', 6],
    ['fe80::1%eth0', 0],
    ['010.9.8.7', 0],
    ['10.9.8', 0],
    ['2001:db8', 0],
    ['', 0],
  ] as const)('%s is of family %i', (text, family) => {
    expect(isIP(text)).toBe(family)
    expect(ipAddressOf(text)?.family ?? 0).toBe(family)
  })
})
