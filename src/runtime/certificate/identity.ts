import { createHash, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { isIssuedFor, isPair, isSigningKey, isValidFor, type KeyPair } from './check.ts'
import type { DataDirectory } from '../files/data-directory.ts'
import { StartupError } from '../process/startup-error.ts'

/** The certificate of a server, and the authorities that it trusts. */
export interface Identity {
  readonly adminToken: string
  readonly authority: KeyPair
  readonly server: KeyPair
  /** PEM of the private key that ServiceAccount tokens are signed with. */
  readonly tokenKey: string
}

const TOKEN_KEY = 'service-account.key'
/** A server's certificate must be good for as long as a process may reasonably run without a restart … */
const SERVER_DAYS_LEFT = 365
/** … and its authority for longer than any certificate that it still signs. */
const AUTHORITY_DAYS_LEFT = 1000
/** … and valid long before: clients keep it in their kubeconfigs, where a clock that is set back must not make it void. */
const AUTHORITY_SKEW_MS = 3650 * 86_400_000

/** Throws StartupError when what the directory holds cannot be used; changes nothing. */
export function assertIdentity(directory: DataDirectory): void {
  keptToken(directory)
  keptAuthority(directory)
  keptTokenKey(directory)
}

/**
 * Reads token, authority and server certificate from the directory; makes what is missing, about to expire, or not issued
 * for all of `names`. `now` in milliseconds since the epoch. Throws StartupError when what is there cannot be used.
 */
export async function openIdentity(directory: DataDirectory, names: readonly string[], now: number): Promise<Identity> {
  const adminToken = openToken(directory)
  const authority = await openAuthority(directory, now)
  const server = await openServerCertificate(directory, authority, names, now)
  return { adminToken, authority, server, tokenKey: openTokenKey(directory) }
}

/** An identifier of the directory of this identity: as long as it is kept, and without giving anything away. */
export function directoryId({ authority }: Identity): string {
  // The certificate is renewed now and then, its key never.
  const key = new X509Certificate(authority.certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/** Without its key every token that was handed out is void, so a damaged one is not replaced. */
function openTokenKey(directory: DataDirectory): string {
  const kept = keptTokenKey(directory)
  if (kept !== undefined) return kept
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  directory.write(TOKEN_KEY, key)
  return key
}

function keptTokenKey(directory: DataDirectory): string | undefined {
  const kept = directory.read(TOKEN_KEY)
  if (kept !== undefined && !isSigningKey(kept))
    throw damaged(`${directory.file(TOKEN_KEY)} holds no private key for P-256`)
  return kept
}

function openToken(directory: DataDirectory): string {
  const kept = keptToken(directory)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('base64url')
  directory.write('admin.token', `${token}\n`)
  return token
}

function keptToken(directory: DataDirectory): string | undefined {
  const kept = directory.read('admin.token')?.trim()
  if (kept !== undefined && !/^[\w.~+/=-]{16,}$/.test(kept))
    throw damaged(`${directory.file('admin.token')} holds no usable token`)
  return kept
}

async function openAuthority(directory: DataDirectory, now: number): Promise<KeyPair> {
  const { key, certificate } = keptAuthority(directory)
  if (key !== undefined && certificate !== undefined && isValidFor(certificate, now, AUTHORITY_DAYS_LEFT))
    return { certificate, key }
  const { makeAuthority } = await import('./certificates.ts')
  // With the old key, what was signed and handed out before stays good.
  const made = await makeAuthority(now, key, AUTHORITY_SKEW_MS)
  if (key === undefined) directory.write('ca.key', made.key)
  directory.write('ca.crt', made.certificate)
  return made
}

function keptAuthority(directory: DataDirectory): Partial<KeyPair> {
  const key = directory.read('ca.key')
  const certificate = directory.read('ca.crt')
  if (key === undefined && certificate !== undefined) throw damaged(`${directory.file('ca.key')} is missing`)
  if (key !== undefined && !isSigningKey(key))
    throw damaged(`${directory.file('ca.key')} holds no private key for P-256`)
  if (key !== undefined && certificate !== undefined && !isPair({ certificate, key }))
    throw damaged(`${directory.file('ca.key')} is not the key of ca.crt`)
  return { ...(key === undefined ? {} : { key }), ...(certificate === undefined ? {} : { certificate }) }
}

async function openServerCertificate(
  directory: DataDirectory,
  authority: KeyPair,
  names: readonly string[],
  now: number,
): Promise<KeyPair> {
  const key = directory.read('server.key') ?? ''
  const certificate = directory.read('server.crt') ?? ''
  const kept = { certificate, key }
  const good = isPair(kept) && isValidFor(certificate, now, SERVER_DAYS_LEFT)
  if (good && isIssuedFor(certificate, authority.certificate, names)) return kept
  const { makeServerCertificate } = await import('./certificates.ts')
  const made = await makeServerCertificate(authority, names, now)
  directory.write('server.key', made.key)
  directory.write('server.crt', made.certificate)
  return made
}

function damaged(message: string): StartupError {
  return new StartupError('identity-damaged', message)
}
