import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isIssuedFor } from './check.ts'
import { DataDirectory } from '../files/data-directory.ts'
import { directoryId, openIdentity } from './identity.ts'

const NOW = Date.now()
const DAY = 86_400_000
const NAMES = ['localhost', '127.0.0.1']

describe('the identity of a server', () => {
  let directory: DataDirectory
  beforeEach(() => {
    directory = DataDirectory.open(mkdtempSync(join(tmpdir(), 'allot-identity-')))
  })
  afterEach(() => {
    directory.close()
    rmSync(directory.path, { recursive: true })
  })

  test('is made once and stays', async () => {
    const made = await openIdentity(directory, NAMES, NOW)
    expect(await openIdentity(directory, NAMES, NOW + DAY)).toEqual(made)
  })

  test('has an id that stays while certificates are renewed, and that no other directory has', async () => {
    const id = directoryId(await openIdentity(directory, NAMES, NOW))
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(directoryId(await openIdentity(directory, NAMES, NOW + 3000 * DAY))).toBe(id)
    rmSync(directory.file('ca.key'))
    rmSync(directory.file('ca.crt'))
    expect(directoryId(await openIdentity(directory, NAMES, NOW))).not.toBe(id)
  })

  test('is for the owner only', async () => {
    await openIdentity(directory, NAMES, NOW)
    for (const name of ['admin.token', 'ca.crt', 'ca.key', 'server.crt', 'server.key', 'service-account.key'])
      expect(statSync(directory.file(name)).mode & 0o777, name).toBe(0o600)
  })

  test('gets a new server certificate for a new name, from the same authority', async () => {
    const before = await openIdentity(directory, NAMES, NOW)
    const after = await openIdentity(directory, [...NAMES, '192.0.2.1'], NOW)
    expect(after.authority).toEqual(before.authority)
    expect(isIssuedFor(after.server.certificate, after.authority.certificate, ['192.0.2.1', ...NAMES])).toBe(true)
  })

  test('gets a new server certificate before the old one expires', async () => {
    const before = await openIdentity(directory, NAMES, NOW)
    const after = await openIdentity(directory, NAMES, NOW + 500 * DAY)
    expect(after.server).not.toEqual(before.server)
    expect(after.authority).toEqual(before.authority)
    expect(after.adminToken).toBe(before.adminToken)
  })

  test('renews its authority with the same key, so that old copies of the kubeconfig stay good', async () => {
    const before = await openIdentity(directory, NAMES, NOW)
    const after = await openIdentity(directory, NAMES, NOW + 3000 * DAY)
    expect(after.authority.certificate).not.toBe(before.authority.certificate)
    expect(isIssuedFor(after.server.certificate, before.authority.certificate, NAMES)).toBe(true)
  })

  test('survives a crash between two files', async () => {
    const before = await openIdentity(directory, NAMES, NOW)
    rmSync(directory.file('ca.crt'))
    rmSync(directory.file('server.crt'))
    const after = await openIdentity(directory, NAMES, NOW)
    expect(after.authority.key).toBe(before.authority.key)
    expect(isIssuedFor(after.server.certificate, after.authority.certificate, NAMES)).toBe(true)
  })

  test.each([
    ['ca.key', 'nonsense', 'holds no private key'],
    ['ca.crt', 'nonsense', 'is not the key of ca.crt'],
    ['admin.token', ' \n', 'holds no usable token'],
    ['service-account.key', 'nonsense', 'holds no private key'],
  ])('that is damaged in %s is refused and left as it is', async (file, text, message) => {
    await openIdentity(directory, NAMES, NOW)
    writeFileSync(directory.file(file), text)
    await expect(openIdentity(directory, NAMES, NOW)).rejects.toMatchObject({
      code: 'identity-damaged',
      message: expect.stringContaining(message),
    })
    expect(directory.read(file)).toBe(text)
  })

  test('without the key of its authority is refused', async () => {
    await openIdentity(directory, NAMES, NOW)
    rmSync(directory.file('ca.key'))
    await expect(openIdentity(directory, NAMES, NOW)).rejects.toMatchObject({ code: 'identity-damaged' })
  })
})
