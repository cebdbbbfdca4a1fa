import '../../src/runtime/certificate/reflect-metadata.ts'
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, X509CertificateGenerator } from '@peculiar/x509'
import { createPrivateKey } from 'node:crypto'
import type { KeyPair } from '../../src/runtime/certificate/check.ts'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** A client certificate for `subject` (`CN=jane, O=dev`), signed by `authority`. */
export async function makeClientCertificate(authority: KeyPair, subject: string): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const signer = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' })
  const made = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject,
    issuer: 'CN=allot-ca',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey('pkcs8', new Uint8Array(signer), CURVE, true, ['sign']),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
  })
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    certificate: made.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  }
}
