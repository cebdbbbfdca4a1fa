import './reflect-metadata.ts'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { createPrivateKey, createPublicKey, randomBytes, type webcrypto, X509Certificate } from 'node:crypto'
import { isIP } from '../../machinery/ip-address.ts'
import { CLOCK_SKEW_MS, type KeyPair } from './check.ts'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Some clients refuse server certificates of more than 825 days. */
const SERVER_DAYS = 820

/**
 * A new self-signed authority, valid for ten years from `now` (milliseconds since the epoch), and since `skewMs` before.
 * With `key`, for that key.
 */
export async function makeAuthority(now: number, key?: string, skewMs: number = CLOCK_SKEW_MS): Promise<KeyPair> {
  const keys = key === undefined ? await generateKeys() : await importKeys(key)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=allot-ca',
    ...validity(now, AUTHORITY_DAYS, skewMs),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString('pem')}\n`, key: key ?? (await exportKey(keys.privateKey)) }
}

/** A new certificate for a TLS server that is known by `names` (DNS names and IP addresses), signed by `authority`. */
export async function makeServerCertificate(
  authority: KeyPair,
  names: readonly string[],
  now: number,
  days = SERVER_DAYS,
): Promise<KeyPair> {
  const signer = await importKeys(authority.key)
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=allot',
    issuer: 'CN=allot-ca',
    ...validity(now, days),
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((name) => (isIP(name) === 0 ? { type: 'dns', value: name } : { type: 'ip', value: name })),
      ),
      await AuthorityKeyIdentifierExtension.create(
        new PublicKey(await crypto.subtle.exportKey('spki', signer.publicKey)),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) }
}

/** A certificate for other names (see `makeServerCertificate`) that is valid from and to when `sibling`, a PEM text, is. */
export async function makeSiblingCertificate(
  authority: KeyPair,
  sibling: string,
  names: readonly string[],
): Promise<KeyPair> {
  const { validFromDate, validToDate } = new X509Certificate(sibling)
  const now = validFromDate.getTime() + CLOCK_SKEW_MS
  return await makeServerCertificate(authority, names, now, (validToDate.getTime() - now) / DAY_MS)
}

/** RFC 5280 wants a positive number of at most 20 octets: the first bits are set so that none is ever added or dropped. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0)
  return bytes.toString('hex')
}

function validity(
  now: number,
  days: number,
  skewMs: number = CLOCK_SKEW_MS,
): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(now - skewMs), notAfter: new Date(now + days * DAY_MS) }
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
}

async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const privateKey = createPrivateKey(pem)
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), CURVE, true, ['sign']),
    publicKey: await crypto.subtle.importKey('spki', new Uint8Array(spki), CURVE, true, ['verify']),
  }
}

async function exportKey(key: CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`
}
