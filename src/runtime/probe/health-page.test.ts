import { expect, test } from 'vitest'
import { healthPage } from './health-page.ts'

const CHECKS = { ping: () => undefined, caches: () => 'pools are not listed yet', webhooks: () => undefined }
const GOOD = { ping: CHECKS.ping, webhooks: CHECKS.webhooks }

test.each([
  ['nothing but ok when all is well', GOOD, '', '', 200, 'ok'],
  ['each check when asked', GOOD, '', 'verbose', 200, '[+]ping ok\n[+]webhooks ok\nreadyz check passed\n'],
  [
    'each check when one fails, and why',
    CHECKS,
    '',
    '',
    500,
    '[+]ping ok\n[-]caches failed: pools are not listed yet\n[+]webhooks ok\nreadyz check failed\n',
  ],
  ['one check by its name', CHECKS, 'webhooks', 'verbose', 200, 'ok'],
  ['one that fails', CHECKS, 'caches', '', 500, '[-]caches failed: pools are not listed yet\nreadyz check failed\n'],
  ['ok without the excluded checks', CHECKS, '', 'exclude=caches', 200, 'ok'],
  [
    'excluded checks as ok',
    CHECKS,
    '',
    'verbose&exclude=caches&exclude=ping',
    200,
    '[+]ping excluded: ok\n[+]caches excluded: ok\n[+]webhooks ok\nreadyz check passed\n',
  ],
  [
    'excluded names that no check has, sorted, each once',
    GOOD,
    '',
    'verbose&exclude=nix&exclude=ping&exclude=abc&exclude=nix&exclude=constructor',
    200,
    '[+]ping excluded: ok\n[+]webhooks ok\nwarn: some health checks cannot be excluded: no matches for "abc","constructor","nix"\nreadyz check passed\n',
  ],
  [
    'excluded names that no check has when one fails',
    CHECKS,
    '',
    'exclude=nix',
    500,
    '[+]ping ok\n[-]caches failed: pools are not listed yet\n[+]webhooks ok\nwarn: some health checks cannot be excluded: no matches for "nix"\nreadyz check failed\n',
  ],
  ['no excluded names without a list of checks', GOOD, '', 'exclude=nix', 200, 'ok'],
  ['no excluded names for a single check', GOOD, 'ping', 'exclude=nix&verbose', 200, 'ok'],
])('a health page shows %s', (_, checks, only, query, code, text) => {
  expect(healthPage('readyz', checks, only, new URLSearchParams(query))).toEqual({ code, text })
})

test.each(['nonsense', 'constructor', 'ping/more'])('there is no check %s', (only) => {
  expect(healthPage('readyz', CHECKS, only, new URLSearchParams())).toBeUndefined()
})
