import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from '../../machinery/ip-address.ts'

/** A certificate and its private key (PKCS #8), both as PEM texts. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

const DAY_MS = 86_400_000
/** Clocks of clients may be behind ours, and ours may be set back, so certificates are made to begin this much earlier. */
export const CLOCK_SKEW_MS = 24 * 3_600_000

/** Do key and certificate belong together? False too when either cannot be read. */
export function isPair({ certificate, key }: KeyPair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** Is this a private key that we can sign with? */
export function isSigningKey(key: string): boolean {
  try {
    return createPrivateKey(key).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

/** Is the certificate valid from `now` (milliseconds since the epoch) for another `days`? False when it cannot be read. */
export function isValidFor(certificate: string, now: number, days: number): boolean {
  try {
    const { validFromDate, validToDate } = new X509Certificate(certificate)
    return validFromDate.getTime() <= now && validToDate.getTime() >= now + days * DAY_MS
  } catch {
    return false
  }
}

/** Is it valid at `now`, and are less than two thirds of its life over? False when it cannot be read. */
export function isFresh(certificate: string, now: number): boolean {
  try {
    const { validFromDate, validToDate } = new X509Certificate(certificate)
    const from = validFromDate.getTime()
    return from <= now && (now - from) * 3 < (validToDate.getTime() - from) * 2
  } catch {
    return false
  }
}

/** May it sign others? False when it cannot be read. */
export function isAuthority(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).ca
  } catch {
    return false
  }
}

/** May `certificate` be presented under each of `names` to clients that trust `authority`? False when either cannot be read. */
export function isIssuedFor(certificate: string, authority: string, names: readonly string[]): boolean {
  try {
    const server = new X509Certificate(certificate)
    const carries = (name: string): boolean =>
      (isIP(name) === 0 ? server.checkHost(name) : server.checkIP(name)) !== undefined
    return server.verify(new X509Certificate(authority).publicKey) && names.every(carries)
  } catch {
    return false
  }
}

/**
 * Does the first certificate of a chain lead, over others of it, to one of the authorities of a bundle, or is it one of them? Both are PEM
 * texts. False where nothing can be read.
 */
export function leadsToAuthority(chain: string, bundle: string): boolean {
  const read = (pem: string): X509Certificate[] => certificatesIn(pem).map((one) => new X509Certificate(one))
  const authorities = read(bundle)
  const [first, ...others] = read(chain)
  const isIssuedBy = (one: X509Certificate, issuer: X509Certificate): boolean =>
    one.checkIssued(issuer) && one.verify(issuer.publicKey)
  for (let last = first; last !== undefined;) {
    const certificate = last
    const { fingerprint256 } = certificate
    if (authorities.some((one) => one.fingerprint256 === fingerprint256 || isIssuedBy(certificate, one))) return true
    const next = others.findIndex((one) => isIssuedBy(certificate, one))
    // Each once: an authority has issued itself.
    last = next < 0 ? undefined : others.splice(next, 1)[0]
  }
  return false
}

/** The certificates of a PEM text, each as a text of its own; nothing that cannot be read. */
export function certificatesIn(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block).toString()]
    } catch {
      return []
    }
  })
}

/** The DNS names and IP addresses that a certificate was issued for; none when it cannot be read. */
export function namesOf(certificate: string): readonly string[] {
  try {
    const text = new X509Certificate(certificate).subjectAltName ?? ''
    return [...text.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = '']) => name)
  } catch {
    return []
  }
}
