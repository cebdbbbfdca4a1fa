import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { KeyPair } from './check.ts'
import { keepCertificateFiles } from './files.ts'
import type { CertificateKeeper } from './keeper.ts'
import { makeAuthority, makeServerCertificate } from './certificates.ts'
import { silentLogger } from '../process/logger.ts'

const NOW = Date.now()
const DAY = 86_400_000
let authority: KeyPair
let stranger: KeyPair
let one: KeyPair
let two: KeyPair
let directory: string
let version = 0
const open: CertificateKeeper[] = []

beforeAll(async () => {
  authority = await makeAuthority(NOW)
  stranger = await makeAuthority(NOW)
  one = await makeServerCertificate(authority, ['one.test'], NOW)
  two = await makeServerCertificate(authority, ['two.test'], NOW)
})
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-certificate-'))
})
afterEach(async () => {
  for (const keeper of open.splice(0)) await keeper.stop()
  rmSync(directory, { recursive: true })
})

/** As the kubelet does: a new folder, and a link that is moved onto it. */
function mount(files: Readonly<Record<string, string>>): void {
  const folder = join(directory, `..${version++}`)
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  symlinkSync(folder, join(directory, '..data_tmp'))
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
}
const asSecret = ({ certificate, key }: KeyPair, ca = authority.certificate): Readonly<Record<string, string>> => ({
  'tls.crt': certificate,
  'tls.key': key,
  'ca.crt': ca,
})

async function keep(now = NOW, withAuthority = true): Promise<CertificateKeeper> {
  const at = (name: string): string => join(directory, '..data', name)
  const keeper = await keepCertificateFiles(
    {
      files: {
        certificate: at('tls.crt'),
        key: at('tls.key'),
        ...(withAuthority ? { authority: at('ca.crt') } : {}),
      },
      now: () => now,
      random: () => 0.5,
      sleep: (ms, signal) =>
        ms < 1000
          ? Promise.resolve()
          : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      clockSteps: { subscribe: () => () => undefined },
      logger: silentLogger,
    },
    new AbortController().signal,
  )
  open.push(keeper)
  return keeper
}

test('a mounted Secret is used, and followed when it changes', async () => {
  mount(asSecret(one))
  const keeper = await keep()
  expect(keeper.current).toEqual({ ...one, bundle: authority.certificate })
  mount(asSecret(two))
  await keeper.refresh()
  expect(keeper.current).toEqual({ ...two, bundle: authority.certificate })
})

test('without an authority there is no bundle', async () => {
  mount(asSecret(one))
  expect((await keep(NOW, false)).current.bundle).toBe('')
})

test('broken files keep the old certificate', async () => {
  mount(asSecret(one))
  const keeper = await keep()
  for (const files of [
    asSecret({ certificate: two.certificate, key: one.key }),
    asSecret({ certificate: 'nonsense', key: two.key }),
    asSecret(two, 'nonsense'),
    asSecret(two, stranger.certificate),
    asSecret(await makeServerCertificate(authority, ['late.test'], NOW, -1)),
    {},
  ]) {
    mount(files)
    await expect(keeper.refresh()).rejects.toMatchObject({ code: 'certificate-unusable' })
    expect(keeper.current.certificate).toBe(one.certificate)
  }
})

test.each([
  ['is missing', () => undefined, /^cannot read .*tls\.crt \(from --tls-cert\): it does not exist$/],
  [
    'has another key',
    () => mount(asSecret({ certificate: one.certificate, key: two.key })),
    /tls\.key does not hold the key of the certificate in .*tls\.crt$/,
  ],
  [
    'was issued by another authority',
    () => mount(asSecret(one, stranger.certificate)),
    /^the certificate in .*tls\.crt was not issued by an authority in .*ca\.crt$/,
  ],
  ['is not a certificate', () => mount({ ...asSecret(one), 'tls.crt': '' }), /tls\.crt holds no certificate$/],
])('a start with what %s fails with a sentence', async (_, prepare, message) => {
  prepare()
  await expect(keep()).rejects.toMatchObject({ code: 'certificate-unusable', message: expect.stringMatching(message) })
})

test('a start with what has expired fails', async () => {
  mount(asSecret(one))
  await expect(keep(NOW + 900 * DAY)).rejects.toThrow('is not valid now')
})

test('a bundle may hold several authorities, a chain those in between, and a certificate may be trusted itself', async () => {
  mount(asSecret(one, stranger.certificate + authority.certificate))
  await keep()
  mount(asSecret({ ...one, certificate: one.certificate + authority.certificate }))
  await keep()
  mount(asSecret(one, one.certificate))
  await keep()
  // An authority that signs itself leads nowhere else.
  mount(asSecret({ ...one, certificate: one.certificate + authority.certificate }, stranger.certificate))
  await expect(keep()).rejects.toThrow('was not issued by an authority')
})
