import { describe, expect, test } from 'vitest'
import { isLoopback, localUrl, serverNames } from './listen-address.ts'

describe('the address that a server listens on', () => {
  test.each(['127.0.0.1', '127.9.8.7', '::1', 'localhost', '::ffff:127.0.0.1'])('%s is loopback', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  test.each(['0.0.0.0', '::', '192.0.2.1', '2001:db8::1', 'example.org', 'localhost.example.org'])(
    '%s is not',
    (host) => {
      expect(isLoopback(host)).toBe(false)
    },
  )

  test.each([
    ['127.0.0.1', 'https://127.0.0.1:6443'],
    ['::1', 'https://[::1]:6443'],
    ['0.0.0.0', 'https://127.0.0.1:6443'],
    ['::', 'https://[::1]:6443'],
    ['box.example.org', 'https://box.example.org:6443'],
  ])('%s is reached locally as %s', (host, url) => {
    expect(localUrl(host, 6443)).toBe(url)
  })

  test('the names hold the host once, and those of the machine when it listens everywhere', () => {
    expect(serverNames('127.0.0.1', ['box'])).not.toContain('box')
    expect(serverNames('box.example.org', [])).toContain('box.example.org')
    expect(serverNames('0.0.0.0', ['box', '192.0.2.1'])).toEqual(
      expect.arrayContaining(['box', '192.0.2.1', '127.0.0.1']),
    )
    expect(serverNames('0.0.0.0', [])).not.toContain('0.0.0.0')
    expect(new Set(serverNames('::1', [])).size).toBe(serverNames('::1', []).length)
  })
})
