import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type PemBlock, pemBlocks } from './pem.ts'

/**
 * Why a certificate and its key in PEM make no pair, in the words of Go's `tls.X509KeyPair`; undefined if they do. Of a
 * chain the first certificate counts.
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificates = [...pemBlocks(certificate)]
  const first = certificates.find(({ type }) => type === 'CERTIFICATE')
  if (first === undefined) return noCertificate(certificates.map(({ type }) => type))
  const keys = [...pemBlocks(key)]
  const own = keys.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))
  if (own === undefined) return noKey(keys.map(({ type }) => type))
  return mismatch(first, own)
}

function noCertificate(skipped: readonly string[]): string {
  const where = 'in certificate input'
  if (skipped.length === 0) return `tls: failed to find any PEM data ${where}`
  if (skipped.length === 1 && skipped[0]?.endsWith('PRIVATE KEY') === true)
    return `tls: failed to find certificate PEM data ${where}, but did find a private key; PEM inputs may have been switched`
  return `tls: failed to find "CERTIFICATE" PEM block ${where} after skipping PEM blocks of the following types: [${skipped.join(' ')}]`
}

function noKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input'
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key'
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`
}

function mismatch(certificate: PemBlock, key: PemBlock): string | undefined {
  const shown = readOr(() => new X509Certificate(certificate.bytes))
  if (shown === undefined) return 'x509: malformed certificate'
  const own = readOr(() => createPrivateKey(textOf(key)))
  if (own === undefined) return 'tls: failed to parse private key'
  if (shown.publicKey.asymmetricKeyType !== own.asymmetricKeyType)
    return 'tls: private key type does not match public key type'
  return shown.checkPrivateKey(own) ? undefined : 'tls: private key does not match public key'
}

/** Returns the value that OpenSSL reads from a text, or undefined if it cannot read it. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The block alone. Headers, such as those of an encrypted key, do not count, as in Go. */
const textOf = ({ type, bytes }: PemBlock): string =>
  `-----BEGIN ${type}-----\n${bytes.toString('base64')}\n-----END ${type}-----\n`
