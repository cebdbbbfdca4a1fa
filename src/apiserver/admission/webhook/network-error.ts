import { hostPort } from '../../../machinery/host-port.ts'

/** How Node names what went wrong on the way to a server. */
interface SystemError extends Error {
  readonly code?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly hostname?: unknown
  readonly host?: unknown
  readonly reason?: unknown
}

const UNVERIFIED = 'tls: failed to verify certificate: x509: '
const UNKNOWN_AUTHORITY = `${UNVERIFIED}certificate signed by unknown authority`

/** Go's words for Node's codes. Clients look for some of them, such as `connection refused`. */
const WORDS: Readonly<Record<string, (error: SystemError) => string>> = {
  ECONNREFUSED: (error) => `dial tcp ${addressOf(error)}: connect: connection refused`,
  EHOSTUNREACH: (error) => `dial tcp ${addressOf(error)}: connect: no route to host`,
  ENETUNREACH: (error) => `dial tcp ${addressOf(error)}: connect: network is unreachable`,
  ETIMEDOUT: (error) => `dial tcp ${addressOf(error)}: i/o timeout`,
  ENOTFOUND: ({ hostname }) => `dial tcp: lookup ${String(hostname)}: no such host`,
  EAI_AGAIN: ({ hostname }) => `dial tcp: lookup ${String(hostname)}: Temporary failure in name resolution`,
  ECONNRESET: () => 'read: connection reset by peer',
  UND_ERR_SOCKET: () => 'EOF',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: () => UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: () => `${UNVERIFIED}certificate has expired or is not yet valid`,
  CERT_NOT_YET_VALID: () => `${UNVERIFIED}certificate has expired or is not yet valid`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ reason }) => `${UNVERIFIED}${String(reason)}`,
  ERR_SSL_WRONG_VERSION_NUMBER: () => 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: () => 'http: server gave HTTP response to HTTPS client',
}

/** Describes a failure on the way to a server in Go's words where they are known, else in the system's own words. */
export function networkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Where a name has several addresses, each has failed in its own way.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const one: SystemError = first instanceof Error ? first : error
  const words = typeof one.code === 'string' && Object.hasOwn(WORDS, one.code) ? WORDS[one.code] : undefined
  if (words !== undefined) return words(one)
  return one.message === '' && one.cause instanceof Error ? one.cause.message : one.message
}

const addressOf = ({ address, port }: SystemError): string => hostPort(String(address), String(port))
