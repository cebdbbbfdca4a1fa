import { expect, test } from 'vitest'
import { isKnownHost } from './known-host.ts'

test.each<readonly [string | undefined, boolean]>([
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['[::1]', true],
  ['192.0.2.1', true],
  ['localhost', true],
  ['LOCALHOST.:80', true],
  ['hooks.shop.svc:443', true],
  [undefined, true],
  ['', false],
  ['evil.example', false],
  ['evil.example:8080', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['[::1].evil.example', false],
  ['hooks.shop', false],
])('on loopback, a request for %s is answered: %s', (host, known) => {
  for (const listening of ['127.0.0.1', '::1', 'localhost'])
    expect(isKnownHost(listening, ['hooks.shop.svc'], host)).toBe(known)
  for (const listening of ['0.0.0.0', '::', '192.0.2.1']) expect(isKnownHost(listening, [], host)).toBe(true)
})
