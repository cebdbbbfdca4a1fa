import { createPublicKey, type KeyObject, constants, verify } from 'node:crypto'
import { allDerElements, derElements } from './der.ts'
import { pemBlocks } from './pem.ts'

const SEQUENCE = 0x30
const BIT_STRING = 0x03

type Check = (key: KeyObject, data: Buffer, signature: Buffer) => boolean

const hashed =
  (type: string, hash: string, padding?: { readonly padding: number; readonly saltLength?: number }): Check =>
  (key, data, signature) =>
    key.asymmetricKeyType === type && verify(hash, data, { key, ...padding }, signature)

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

/** How signatures are checked, by the object identifier of the algorithm (RFC 8017, 5758 and 8410). */
const ALGORITHMS: ReadonlyMap<string, Check> = new Map([
  ['2a864886f70d010105', hashed('rsa', 'sha1')],
  ['2a864886f70d01010b', hashed('rsa', 'sha256')],
  ['2a864886f70d01010c', hashed('rsa', 'sha384')],
  ['2a864886f70d01010d', hashed('rsa', 'sha512')],
  ['2a8648ce3d0401', hashed('ec', 'sha1')],
  ['2a8648ce3d040302', hashed('ec', 'sha256')],
  ['2a8648ce3d040303', hashed('ec', 'sha384')],
  ['2a8648ce3d040304', hashed('ec', 'sha512')],
  ['2b6570', (key, data, signature) => key.asymmetricKeyType === 'ed25519' && verify(undefined, data, key, signature)],
])
/** RSA with PSS names its hash among its parameters. */
const PSS_ALGORITHM = '2a864886f70d01010a'
const PSS_HASHES: ReadonlyMap<string, Check> = new Map([
  ['608648016503040201', hashed('rsa', 'sha256', PSS)],
  ['608648016503040202', hashed('rsa', 'sha384', PSS)],
  ['608648016503040203', hashed('rsa', 'sha512', PSS)],
])

/** The PKCS #10 request (DER) in the first block of a PEM; undefined where that is a block of another type, or none. */
export function certificateRequestIn(pem: string): Buffer | undefined {
  for (const { type, bytes } of pemBlocks(pem)) return type === 'CERTIFICATE REQUEST' ? bytes : undefined
  return undefined
}

/**
 * Why a PEM is not a request for a certificate that its sender signed with the key that it names (certificates `validateCSR`);
 * undefined if it is one.
 */
export function certificateRequestProblem(pem: string): string | undefined {
  const request = certificateRequestIn(pem)
  if (request === undefined) return 'PEM block type must be CERTIFICATE REQUEST'
  const [whole, ...trailing] = allDerElements(request) ?? []
  if (whole?.tag !== SEQUENCE || trailing.length > 0) return 'x509: malformed certificate request'
  const [info, algorithm, signature, ...rest] = allDerElements(whole.content) ?? []
  if (info?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || signature?.tag !== BIT_STRING || rest.length > 0)
    return 'x509: malformed certificate request'
  // The version and the subject stand before the key.
  const [, , key] = derElements(info.content)
  const check = checkOf(algorithm.content)
  if (check === undefined) return 'x509: cannot verify signature: algorithm unimplemented'
  const publicKey = key === undefined ? undefined : readKey(key.whole)
  if (publicKey === undefined) return 'x509: malformed public key'
  // The first byte counts the bits of the last one that do not belong to the signature.
  return isSigned(check, publicKey, info.whole, signature.content.subarray(1))
    ? undefined
    : 'x509: the signature does not match the public key of the request'
}

function checkOf(algorithm: Buffer): Check | undefined {
  const [name, parameters] = derElements(algorithm)
  const id = name?.content.toString('hex') ?? ''
  if (id !== PSS_ALGORITHM) return ALGORITHMS.get(id)
  const [hash] = derElements(derElements(parameters?.content)[0]?.content)
  return PSS_HASHES.get(derElements(hash?.content)[0]?.content.toString('hex') ?? '')
}

function readKey(key: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

function isSigned(check: Check, key: KeyObject, data: Buffer, signature: Buffer): boolean {
  try {
    return check(key, data, signature)
  } catch {
    return false
  }
}
