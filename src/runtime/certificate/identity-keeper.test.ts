import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isIssuedFor, isValidFor } from './check.ts'
import { DataDirectory } from '../files/data-directory.ts'
import { openIdentity } from './identity.ts'
import { IdentityKeeper } from './identity-keeper.ts'
import { silentLogger } from '../process/logger.ts'

const DAY_MS = 86_400_000
const NAMES = ['localhost']
let path = ''
let directory: DataDirectory
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'allot-identity-keeper-'))
  directory = DataDirectory.open(path)
})
afterEach(() => {
  directory.close()
  rmSync(path, { recursive: true, force: true })
})

test.each([
  ['back by two days', -2, true],
  ['back by nine years', -9 * 365, true],
  ['forward beyond the end of the certificate', 900, true],
  ['forward beyond the end of the authority', 4000, false],
])('a clock that is set %s renews what is not valid by it', async (_, days, keepsAuthority) => {
  const clock = { now: Date.now() }
  const identity = await openIdentity(directory, NAMES, clock.now)
  const used = [identity]
  let step: (() => void) | undefined
  const keeper = new IdentityKeeper(
    {
      directory,
      names: NAMES,
      now: () => clock.now,
      clockSteps: {
        subscribe: (listener) => {
          step = () => listener(days * 86_400_000)
          return () => (step = undefined)
        },
      },
      onChange: (renewed, before) => {
        expect(before).toBe(used.at(-1))
        used.push(renewed)
      },
      logger: silentLogger,
    },
    identity,
  )
  await keeper.look()
  expect(used).toHaveLength(1)
  clock.now += days * DAY_MS
  step?.()
  await keeper.look()
  expect(used).toHaveLength(2)
  const { server, authority } = used[1] ?? identity
  expect([server, authority].map(({ certificate }) => isValidFor(certificate, clock.now, 0))).toEqual([true, true])
  expect(isIssuedFor(server.certificate, authority.certificate, NAMES)).toBe(true)
  expect(authority.certificate === identity.authority.certificate).toBe(keepsAuthority)
  await keeper.stop()
  expect(step).toBeUndefined()
})

test('a failed renewal changes nothing, and is tried again', async () => {
  const clock = { now: Date.now() }
  const identity = await openIdentity(directory, NAMES, clock.now)
  const before: string[] = []
  let fails = true
  const onChange = ({ server }: typeof identity, old: typeof identity): void => {
    if (fails) throw new Error('not now')
    before.push(old.server.certificate)
    expect(new X509Certificate(server.certificate).validFromDate.getTime()).toBeLessThan(clock.now)
  }
  const keeper = new IdentityKeeper(
    {
      directory,
      names: NAMES,
      now: () => clock.now,
      clockSteps: { subscribe: () => () => undefined },
      onChange,
      logger: silentLogger,
    },
    identity,
  )
  clock.now -= 3 * DAY_MS
  await keeper.look()
  fails = false
  await keeper.look()
  expect(before).toEqual([identity.server.certificate])
  await keeper.stop()
})
