import { expect, test } from 'vitest'
import { validateOrdinaryIP } from './ip.ts'

test.each([
  ['0.0.0.0', 'unspecified'],
  ['::', 'unspecified'],
  ['0:0:0::0', 'unspecified'],
  ['127.1.2.3', 'loopback'],
  ['::1', 'loopback'],
  ['0:0::0:0001', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['169.254.9.9', 'link-local range'],
  ['fe80::1', 'link-local range'],
  ['febf::1', 'link-local range'],
  ['224.0.0.7', 'link-local multicast'],
  ['ff02::1', 'link-local multicast'],
  ['FF12::1', 'link-local multicast'],
  ['1.2.3', 'must be a valid IP address'],
])('%s is not an ordinary address: %s', (ip, why) => {
  expect(validateOrdinaryIP(ip, 'ip').map(({ path, ...error }) => [path, JSON.stringify(error)])).toEqual([
    ['ip', expect.stringContaining(why)],
  ])
})

test.each(['10.0.0.1', '224.0.1.1', '2001:db8::1', 'fe8::1', 'fec0::1', 'ff03::1', '1::1'])(
  '%s is an ordinary address',
  (ip) => {
    expect(validateOrdinaryIP(ip, 'ip')).toEqual([])
  },
)
