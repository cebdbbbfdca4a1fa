import { X509Certificate } from 'node:crypto'
import { allDerElements } from './der.ts'
import { goQuote } from '../../../machinery/go/quote.ts'
import { pemBlocks } from './pem.ts'

/** Why a text in PEM does not consist of certificates (certificates `validateCertificate`); undefined if it does, or is empty. */
export function issuedCertificateProblem(pem: string): string | undefined {
  if (pem === '') return undefined
  let blocks = 0
  for (const { type, hasHeaders, bytes } of pemBlocks(pem)) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`
    if (hasHeaders) return 'no PEM block headers are permitted'
    blocks++
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    const certificates = allDerElements(bytes)
    if (certificates === undefined || !certificates.every(({ whole }) => isCertificate(whole)))
      return 'x509: malformed certificate'
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).serialNumber !== ''
  } catch {
    return false
  }
}
