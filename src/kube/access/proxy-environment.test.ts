import { expect, test } from 'vitest'
import { proxyFromEnvironment } from './proxy-environment.ts'

const HTTPS = { HTTPS_PROXY: 'http://proxy:3128' }

test.each([
  ['https://api:6443', {}, undefined],
  ['https://api:6443', HTTPS, 'http://proxy:3128'],
  ['https://api', { https_proxy: 'http://lower' }, 'http://lower'],
  ['https://api', { HTTPS_PROXY: 'http://upper', https_proxy: 'http://lower' }, 'http://upper'],
  ['https://api', { HTTPS_PROXY: '', https_proxy: 'http://lower' }, 'http://lower'],
  ['https://api', { HTTP_PROXY: 'http://plain' }, undefined],
  ['http://api', { HTTP_PROXY: 'http://plain', ...HTTPS }, 'http://plain'],
  ['https://api', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
  ['https://localhost:6443', HTTPS, undefined],
  ['https://127.0.0.1:6443', HTTPS, undefined],
  ['https://[::1]:6443', HTTPS, undefined],
])('the proxy of %s with %j is %s', (server, environment, proxy) => {
  expect(proxyFromEnvironment(server, environment)).toBe(proxy)
})

test.each([
  ['https://api.example.com', '*', false],
  ['https://api.example.com', 'example.com', false],
  ['https://example.com', 'example.com', false],
  ['https://badexample.com', 'example.com', true],
  ['https://api.example.com', '.example.com', false],
  ['https://example.com', '.example.com', true],
  ['https://api.example.com', '*.example.com', false],
  ['https://API.example.com', 'Example.COM', false],
  ['https://api.example.com', 'other.com, api.example.com', false],
  ['https://api.example.com:6443', 'api.example.com:6443', false],
  ['https://api.example.com:6443', 'api.example.com:443', true],
  ['https://api.example.com', 'api.example.com:443', false],
  ['https://10.1.2.3', '10.0.0.0/8', false],
  ['https://11.1.2.3', '10.0.0.0/8', true],
  ['https://10.1.2.3', '10.1.2.3', false],
  ['https://10.1.2.3', '2.3', true],
  ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
  ['https://[fd00::1]', 'fd00::/8', false],
  ['https://[fd00::1]', 'fd00::1', false],
  ['https://[fe00::1]', 'fd00::/8,10.0.0.0/8', true],
  ['https://10.1.2.3', '10.0.0.0/99', true],
  ['https://api', '', true],
  ['https://api', ',', true],
])('%s with NO_PROXY=%s goes through the proxy: %s', (server, NO_PROXY, through) => {
  expect(proxyFromEnvironment(server, { ...HTTPS, NO_PROXY }) !== undefined).toBe(through)
})
