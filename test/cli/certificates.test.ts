import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isIssuedFor, isPair, isSigningKey, isValidFor } from '../../src/runtime/certificate/check.ts'
import { makeAuthority, makeServerCertificate } from '../../src/runtime/certificate/certificates.ts'
import { serverNames } from '../../src/runtime/http/listen-address.ts'

const NOW = Date.now()
const DAY = 86_400_000
const names = serverNames('192.0.2.7', [])
const authority = await makeAuthority(NOW)
const server = await makeServerCertificate(authority, names, NOW)

describe('certificates', () => {
  test('an authority may sign certificates and is its own issuer', () => {
    const parsed = new X509Certificate(authority.certificate)
    expect(parsed.ca).toBe(true)
    expect(parsed.verify(parsed.publicKey)).toBe(true)
    expect(isPair(authority)).toBe(true)
  })

  test('a server certificate is issued for every name and may sign nothing', () => {
    const parsed = new X509Certificate(server.certificate)
    expect(parsed.ca).toBe(false)
    expect(parsed.checkIssued(new X509Certificate(authority.certificate))).toBe(true)
    expect(isIssuedFor(server.certificate, authority.certificate, names)).toBe(true)
    expect(isIssuedFor(server.certificate, authority.certificate, ['10.96.0.1', 'kubernetes.default.svc', '::1'])).toBe(
      true,
    )
    expect(isIssuedFor(server.certificate, authority.certificate, ['192.0.2.8'])).toBe(false)
    expect(isIssuedFor(server.certificate, authority.certificate, ['elsewhere.example'])).toBe(false)
  })

  test('a certificate of another authority is not accepted', async () => {
    const other = await makeAuthority(NOW)
    expect(isIssuedFor(server.certificate, other.certificate, [])).toBe(false)
    expect(isPair({ certificate: authority.certificate, key: other.key })).toBe(false)
  })

  test('an authority renewed with its old key still vouches for what it signed before', async () => {
    const renewed = await makeAuthority(NOW + 1000 * DAY, authority.key)
    expect(renewed.key).toBe(authority.key)
    expect(isIssuedFor(server.certificate, renewed.certificate, names)).toBe(true)
  })

  test('validity is shown with its days left', () => {
    expect(isValidFor(server.certificate, NOW, 819)).toBe(true)
    expect(isValidFor(server.certificate, NOW, 821)).toBe(false)
    expect(isValidFor(server.certificate, NOW - 2 * DAY, 1)).toBe(false)
    expect(isValidFor(authority.certificate, NOW, 3649)).toBe(true)
  })

  test('a text that is not a certificate or key is invalid', () => {
    expect(isPair({ certificate: 'x', key: 'y' })).toBe(false)
    expect(isValidFor('', NOW, 0)).toBe(false)
    expect(isIssuedFor('', '', [])).toBe(false)
    expect(isSigningKey('')).toBe(false)
  })

  test('each of many certificates is valid', async () => {
    for (let i = 0; i < 200; i++) {
      const made = await makeServerCertificate(authority, ['localhost'], NOW)
      const { serialNumber } = new X509Certificate(made.certificate)
      expect(serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/)
      expect(isPair(made) && isIssuedFor(made.certificate, authority.certificate, ['localhost'])).toBe(true)
    }
  })

  test('openssl accepts the chain with its strictest rules', ({ skip }) => {
    const directory = mkdtempSync(join(tmpdir(), 'allot-certificates-'))
    try {
      writeFileSync(join(directory, 'ca.crt'), authority.certificate)
      writeFileSync(join(directory, 'server.crt'), server.certificate)
      const args = [
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-verify_ip',
        '192.0.2.7',
        '-CAfile',
        'ca.crt',
        'server.crt',
      ]
      const { error, stdout, stderr } = spawnSync('openssl', args, { cwd: directory, encoding: 'utf8' })
      skip(error !== undefined, 'there is no openssl')
      expect(stdout + stderr).toBe('server.crt: OK\n')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
