import { expect, test } from 'vitest'
import { parseGoUrl } from './go-url.ts'

// The results of Go's `url.Parse`, as a real API server reported them for the URLs of webhooks.
test.each([
  ['https://example.test/x', { scheme: 'https', host: 'example.test' }],
  ['HTTPS://example.test:8443', { scheme: 'https', host: 'example.test:8443' }],
  ['https://user:pass@example.test/x', { scheme: 'https', host: 'example.test', user: 'user:pass' }],
  ['https://example.test/x?y=z#f', { query: 'y=z', fragment: 'f', host: 'example.test' }],
  ['https://', { scheme: 'https', host: '' }],
  ['https:///path', { scheme: 'https', host: '' }],
  ['example.test:443', { scheme: 'example.test', host: '' }],
  ['example.test/x', { scheme: '', host: '' }],
  ['', { scheme: '', host: '' }],
  ['https://[::1]:4/x', { host: '[::1]:4' }],
])('%j is read', (text, parts) => {
  expect(parseGoUrl(text)).toMatchObject(parts)
})

test.each([
  ['::', 'parse "::": missing protocol scheme'],
  ['%zz', 'parse "%zz": invalid URL escape "%zz"'],
  ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
  ['https://a:x/', 'parse "https://a:x/": invalid port ":x" after host'],
  ['https://[::1/', `parse "https://[::1/": missing ']' in host`],
  ['1:2', 'parse "1:2": first path segment in URL cannot contain colon'],
])('%j is invalid', (text, error) => {
  expect(parseGoUrl(text)).toEqual({ error })
})
