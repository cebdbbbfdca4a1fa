import { createPrivateKey, X509Certificate } from 'node:crypto'

interface Block {
  readonly type: string
  readonly text: string
}

/**
 * Why a certificate and its key in PEM make no pair, in the words of Go's `tls.X509KeyPair`; undefined if they do. Of a
 * chain the first certificate counts.
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificates = blocksOf(certificate)
  const first = certificates.find(({ type }) => type === 'CERTIFICATE')
  if (first === undefined) return noCertificate(certificates.map(({ type }) => type))
  const keys = blocksOf(key)
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

function mismatch(certificate: Block, key: Block): string | undefined {
  const shown = readOr(() => new X509Certificate(certificate.text))
  if (shown === undefined) return 'x509: malformed certificate'
  const own = readOr(() => createPrivateKey(key.text))
  if (own === undefined) return 'tls: failed to parse private key'
  if (shown.publicKey.asymmetricKeyType !== own.asymmetricKeyType)
    return 'tls: private key type does not match public key type'
  return shown.checkPrivateKey(own) ? undefined : 'tls: private key does not match public key'
}

/** What OpenSSL makes of a text, or undefined if it cannot read it. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Where a block begins or ends. */
const EDGE = /-----(BEGIN|END) ([^-\n]*)-----/g

/** The blocks of a text in PEM, one after the other; what begins and does not end is none. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let begun: RegExpExecArray | undefined
  for (const edge of text.matchAll(EDGE)) {
    const [whole, word, type = ''] = edge
    if (word === 'BEGIN') begun = edge
    else if (begun !== undefined) {
      const body = text.slice(begun.index + begun[0].length, edge.index)
      if (begun[2] === type && isBody(body))
        blocks.push({ type, text: `${text.slice(begun.index, edge.index)}${whole}\n` })
      begun = undefined
    }
  }
  return blocks
}

/** Is it base64, in lines, behind headers such as `Proc-Type: 4,ENCRYPTED`? */
const isBody = (body: string): boolean =>
  body.split('\n').every((line) => line.includes(': ') || /^[A-Za-z0-9+/]*={0,2}\s*$/.test(line))
