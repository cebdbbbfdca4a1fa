import { describe, expect, test } from 'vitest'
import { managerName } from './manager-name.ts'

describe('managerName', () => {
  test('is the parameter, else the beginning of the User-Agent, printable and of 128 bytes at most', () => {
    expect(managerName('me', 'kubectl/v1.36')).toBe('me')
    expect(managerName('', 'kubectl/v1.36 (linux/amd64)')).toBe('kubectl')
    expect(managerName('', 'a\u0007b')).toBe('ab')
    expect(managerName('', 'ä'.repeat(100))).toBe('ä'.repeat(64))
    expect(managerName('', '')).toBe('')
  })
})
