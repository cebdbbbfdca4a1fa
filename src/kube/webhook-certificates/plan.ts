import { X509Certificate } from 'node:crypto'
import {
  CLOCK_SKEW_MS,
  isAuthority,
  isFresh,
  isIssuedFor,
  isPair,
  isSigningKey,
  isValidFor,
  type KeyPair,
  namesOf,
} from '../../runtime/certificate/check.ts'

/** The certificates and keys that replicas share. All are PEM texts, and any of them may be damaged. */
export interface SharedCertificates {
  readonly server: KeyPair
  /** The authorities that callers have to trust; the first is the one that signs. */
  readonly authorities: readonly string[]
  /** Of the first authority. */
  readonly authorityKey: string
  /** Certificates by earlier authorities that a replica may still present. */
  readonly retired: readonly string[]
}

/** The next step for them. */
export type CertificatePlan =
  | { readonly action: 'keep' }
  /** Authorities that nothing depends on any more are to go. */
  | { readonly action: 'prune' }
  /** The authority is to sign a new certificate for these names. */
  | { readonly action: 'issue'; readonly names: readonly string[] }
  /** A new authority is needed; without names the server's certificate stays until everyone knows that authority. */
  | { readonly action: 'replace'; readonly names: readonly string[] | undefined }

/** More than this nobody reaches a webhook by; beyond it, names that others wanted are dropped. */
const MOST_NAMES = 64

/**
 * Decides for a replica that is to be reached by `names`. A certificate lasts two thirds of its life. A new authority is
 * made known for `spreadMs` before it signs what is presented: API servers have to learn of it first.
 */
export function planCertificates(
  shared: SharedCertificates | undefined,
  names: readonly string[],
  now: number,
  spreadMs: number,
): CertificatePlan {
  if (shared === undefined) return { action: 'replace', names }
  const { server, authorities, authorityKey } = shared
  const [authority = ''] = authorities
  const issuer = authorities.find((one) => isIssuedFor(server.certificate, one, []))
  const works =
    issuer !== undefined && isPair(server) && [server.certificate, issuer].every((one) => isValidFor(one, now, 0))
  const reached = isReached(server.certificate, names)
  const wanted = works && !reached ? together(names, namesOf(server.certificate)) : names
  const signs =
    isAuthority(authority) && isSigningKey(authorityKey) && isPair({ certificate: authority, key: authorityKey })
  if (!signs || !isFresh(authority, now)) return { action: 'replace', names: works && reached ? undefined : wanted }
  const enough = issuer === authority ? isFresh(server.certificate, now) : now < madeAt(authority) + spreadMs
  if (!works || !reached || !enough) return { action: 'issue', names: wanted }
  return needed(shared, now).length < authorities.length ? { action: 'prune' } : { action: 'keep' }
}

/** The authorities that callers still have to trust: the first, and those whose certificates may be presented. */
export function needed({ authorities, server, retired }: SharedCertificates, now: number): readonly string[] {
  const presented = [server.certificate, ...stillValid(retired, now)]
  return authorities.filter(
    (authority, index) =>
      index === 0 || (isValidFor(authority, now, 0) && presented.some((one) => isIssuedFor(one, authority, []))),
  )
}

export const stillValid = (certificates: readonly string[], now: number): readonly string[] =>
  certificates.filter((one) => isValidFor(one, now, 0))

const isReached = (certificate: string, names: readonly string[]): boolean => {
  const issued = new Set(namesOf(certificate).map(canonical))
  return names.every((name) => issued.has(canonical(name)))
}

/** Replicas that are reached by different names must not take turns in replacing each other's certificate. */
function together(names: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(names.map(canonical))
  const all = [...names, ...others.filter((name) => !known.has(canonical(name)))]
  return all.length <= MOST_NAMES ? all : names
}

/** One address can be written in many ways. */
function canonical(name: string): string {
  return name.includes(':') ? new URL(`http://[${name}]`).hostname : name.toLowerCase()
}

const madeAt = (certificate: string): number => new X509Certificate(certificate).validFromDate.getTime() + CLOCK_SKEW_MS
