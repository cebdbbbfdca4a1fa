import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { systemCode } from '../../runtime/process/startup-error.ts'

/** PEM texts of one TLS client. */
export interface TlsMaterial {
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

export const sameMaterial = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.authority === b.authority && a.certificate === b.certificate && a.key === b.key

/** Why TLS could not work with these texts, and which of them is to blame; undefined: it can. Repeats none of them. */
export function materialProblem({
  authority,
  certificate,
  key,
}: TlsMaterial): { readonly part: keyof TlsMaterial; readonly what: string } | undefined {
  if (authority !== undefined && !isCertificate(authority))
    return { part: 'authority', what: 'it holds no certificate in PEM' }
  if (authority !== undefined && certificates(authority).some((pem) => !isWhole(pem)))
    return { part: 'authority', what: 'a certificate in it is damaged' }
  if (certificate === undefined || key === undefined) return undefined
  if (!isCertificate(certificate)) return { part: 'certificate', what: 'it holds no certificate in PEM' }
  if (!/-----BEGIN (?:\w+ )*PRIVATE KEY-----/.test(key)) return { part: 'key', what: 'it holds no private key in PEM' }
  const error = contextError({ cert: certificate, key })
  if (error === undefined) return undefined
  const mismatch = systemCode(error) === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
  return {
    part: 'key',
    what: mismatch ? 'the key does not belong to the client certificate' : 'certificate and key cannot be used',
  }
}

const isCertificate = (pem: string): boolean => pem.includes('-----BEGIN CERTIFICATE-----')

const certificates = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? []

/** TLS passes over what it cannot read, and then trusts nobody. */
function isWhole(pem: string): boolean {
  try {
    return new X509Certificate(pem) instanceof X509Certificate
  } catch {
    return false
  }
}

function contextError(options: { readonly cert: string; readonly key: string }): unknown {
  try {
    createSecureContext(options)
    return undefined
  } catch (error) {
    return error
  }
}
