import { AdvisingError } from '../../machinery/advising-error.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { DeadlineExceeded } from '../time/deadline.ts'

/** The reasons for a missing answer, each with its remedy. */
const ADVICE = {
  'name-unknown': 'check the host name of the server in the kubeconfig, and the DNS of this machine',
  refused: 'check that the API server runs and that the port in the kubeconfig is right',
  'no-route': 'check the address in the kubeconfig and the network between this machine and the server',
  timeout: 'check the network and the load of the API server; the request may still take effect',
  dropped: 'it is safe to try again; when it happens often, look at load balancers and proxies in between',
  'certificate-untrusted':
    "check certificate-authority (or certificate-authority-data) in the kubeconfig: it must hold the server's authority",
  'certificate-name':
    'use a server address that the certificate names, or set tls-server-name in the kubeconfig to a name that it names',
  'certificate-expired': "renew the server's certificate, and check the clock of this machine",
  'client-certificate-refused':
    'renew the client certificate of the kubeconfig; it must be signed by an authority that the server trusts',
  tls: 'check that the server speaks TLS on this port and that the kubeconfig says https',
  proxy: 'check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY in the environment',
  'no-api-server': 'check that the server in the kubeconfig is a Kubernetes API server, and its path',
  network: 'check the network between this machine and the server',
} as const

export type UnreachableCode = keyof typeof ADVICE

/** No usable answer came from the API server. */
export class ServerUnreachable extends AdvisingError {
  readonly code: UnreachableCode
  constructor(code: UnreachableCode, message: string, options?: ErrorOptions) {
    super(message, ADVICE[code], options)
    this.code = code
  }
}

const CODES: Readonly<Record<string, readonly [code: UnreachableCode, words: string]>> = {
  ENOTFOUND: ['name-unknown', 'its host name is not known'],
  EAI_AGAIN: ['name-unknown', 'its host name cannot be looked up now'],
  ECONNREFUSED: ['refused', 'the connection was refused'],
  EHOSTUNREACH: ['no-route', 'there is no route to the host'],
  ENETUNREACH: ['no-route', 'there is no route to its network'],
  ETIMEDOUT: ['timeout', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'no connection could be made in time'],
  UND_ERR_SOCKET: ['dropped', 'the connection was closed before the answer was complete'],
  ECONNRESET: ['dropped', 'the connection was reset'],
  EPIPE: ['dropped', 'the connection was closed while the request was sent'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['dropped', 'the answer is shorter than it says'],
  UND_ERR_PRX_CONN: ['proxy', 'the proxy closed the connection'],
  UND_ERR_PRX_TLS: ['proxy', "the proxy's certificate is not good"],
  UND_ERR_ABORTED: ['proxy', 'the proxy did not open a tunnel'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'certificate-untrusted',
    'its certificate was signed by an authority that is not trusted',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate-untrusted', 'its certificate is self-signed and not trusted'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'certificate-untrusted',
    'its certificate was signed by an authority that is not trusted',
  ],
  UNABLE_TO_GET_ISSUER_CERT: [
    'certificate-untrusted',
    'its certificate was signed by an authority that is not trusted',
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'certificate-untrusted',
    'its certificate was signed by an authority that is not trusted',
  ],
  CERT_SIGNATURE_FAILURE: ['certificate-untrusted', 'its certificate was not signed by the authority that is trusted'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate-name', 'its certificate is for other names'],
  CERT_HAS_EXPIRED: ['certificate-expired', 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['certificate-expired', 'its certificate is not yet valid'],
}

/** Errors that a connection which was kept too long gives: nothing of an answer came. */
const STALE: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Was the connection dropped under the request? */
export const isDropped = (error: unknown): boolean => STALE.has(codeOf(error))

/** Is it about certificates, so that other files might help? */
export const isTlsProblem = (error: unknown): boolean => {
  const code = error instanceof ServerUnreachable ? error.code : ''
  return code.startsWith('certificate-') || code === 'client-certificate-refused' || code === 'tls'
}

/** Turns an error thrown in place of an answer into a typed one about `server`; a typed one stays as it is. */
export function unreachable(server: string, error: unknown): ServerUnreachable {
  if (error instanceof ServerUnreachable) return error
  if (error instanceof DeadlineExceeded)
    return new ServerUnreachable('timeout', `${server} gave no answer within ${error.ms / 1000} seconds`, {
      cause: error,
    })
  if (error instanceof Error && error.name === 'HTTPParserError')
    // The error carries the received bytes, which may be secret, so it must not become a cause that a log would write.
    return new ServerUnreachable('no-api-server', `${server} cannot be reached: it does not speak HTTP`)
  const code = codeOf(error)
  const [kind, words] = CODES[code] ?? fallback(code, error)
  return new ServerUnreachable(kind, `${server} cannot be reached: ${words}${code === '' ? '' : ` (${code})`}`, {
    cause: error,
  })
}

function fallback(code: string, error: unknown): readonly [UnreachableCode, string] {
  if (/ALERT/.test(code)) return ['client-certificate-refused', 'it refused the client certificate']
  if (/^ERR_(?:SSL|TLS)|^EPROTO|CERT/.test(code)) return ['tls', 'the TLS handshake failed']
  return ['network', error instanceof Error ? error.name : 'no answer came']
}

/** The code of the error or of what caused it: a socket's error may be wrapped, and one per address when there are several. */
function codeOf(error: unknown): string {
  const own = systemCode(error)
  if (own !== '' && (CODES[own] !== undefined || !(error instanceof Error && 'cause' in error))) return own
  if (error instanceof AggregateError) return error.errors.map(codeOf).find((code) => code !== '') ?? own
  const cause = error instanceof Error ? error.cause : undefined
  return (cause === undefined ? '' : codeOf(cause)) || own
}
