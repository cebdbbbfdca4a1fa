import { timingSafeEqual } from 'node:crypto'
import { unauthorized } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { PresentedCertificate, ShownCredential } from '../../../runtime/http/shown-credential.ts'
import type { Authorizer } from '../../auth/rule/authorizer.ts'
import { certificateCaller } from '../../auth/identity/client-certificate.ts'
import { impersonation, wantsImpersonation } from '../../auth/identity/impersonation.ts'
import { type Identified, ISSUER, type ServiceAccountTokens } from '../../auth/identity/service-account-tokens.ts'
import { ANONYMOUS, AUTHENTICATED, type Caller, MASTERS } from '../../../machinery/caller.ts'

const ADMINISTRATOR: Caller = { name: 'admin', groups: [MASTERS, AUTHENTICATED] }

/** The identity in the certificate of a connection. */
type Certified = 'none' | 'unverified' | { readonly caller: Caller; readonly expires: number }

/** Identifies the sender of a request: by client certificate, the administrator's token, or a ServiceAccount's token. */
export class Authenticator {
  readonly #adminToken: Buffer
  readonly #tokens: ServiceAccountTokens
  readonly #authorizer: Authorizer
  readonly #now: () => number
  /** By connection: reading a certificate costs more than the rest of a request's authentication. */
  readonly #certified = new WeakMap<object, Certified>()

  constructor(options: {
    readonly adminToken: string
    readonly tokens: ServiceAccountTokens
    readonly authorizer: Authorizer
    readonly now: () => number
  }) {
    this.#adminToken = Buffer.from(options.adminToken)
    this.#tokens = options.tokens
    this.#authorizer = options.authorizer
    this.#now = options.now
  }

  /**
   * Returns the user of the request, or the impersonated one. Throws 401 for an invalid credential, 403 when the sender may not
   * impersonate, 400 for incomplete impersonation headers.
   */
  authenticate(exchange: Exchange): Caller {
    const sender = this.#sender(this.#certificateOf(exchange), exchange.headers.authorization)
    if (sender === undefined) throw unauthorized()
    if (sender !== ANONYMOUS) exchange.admit(sender.name)
    if (!wantsImpersonation(exchange.headers)) return sender
    const { caller, demands } = impersonation(exchange.rawHeaders)
    for (const demand of demands) this.#authorizer.demand(sender, demand)
    return caller
  }

  /** Whose token it is, if it is meant for one of the audiences; undefined when it is nobody's. */
  identify(token: string, audiences: readonly string[] = [ISSUER]): Identified | undefined {
    if (!isEqual(Buffer.from(token), this.#adminToken)) return this.#tokens.identify(token, audiences)
    const meant = audiences.filter((audience) => audience === ISSUER)
    return meant.length === 0 ? undefined : { caller: ADMINISTRATOR, audiences: meant }
  }

  /** Would a request with this credential be somebody's? */
  knows({ certificate, authorization }: ShownCredential): boolean {
    const sender = this.#sender(certifiedBy(certificate), authorization)
    return sender !== undefined && sender !== ANONYMOUS
  }

  /** A valid certificate is used before a token. An invalid one is an error only in a request without a token. Undefined: nobody's. */
  #sender(certified: Certified, authorization: string | undefined): Caller | undefined {
    if (typeof certified === 'object' && certified.expires > this.#now()) return certified.caller
    if (authorization === undefined || authorization === '') return certified === 'none' ? ANONYMOUS : undefined
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    return token === undefined ? undefined : this.identify(token)?.caller
  }

  #certificateOf(exchange: Exchange): Certified {
    const { connection } = exchange
    const known = this.#certified.get(connection)
    if (known !== undefined) return known
    const certified = certifiedBy(exchange.clientCertificate)
    this.#certified.set(connection, certified)
    return certified
  }
}

function certifiedBy(presented: PresentedCertificate | undefined): Certified {
  if (presented === undefined) return 'none'
  return presented.verified ? (certificateCaller(presented.certificate) ?? 'none') : 'unverified'
}

/** Takes the same time wherever the two differ; only the length, which is not a secret, can be derived from it. */
const isEqual = (token: Buffer, expected: Buffer): boolean =>
  token.length === expected.length && timingSafeEqual(token, expected)
