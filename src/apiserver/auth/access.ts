import type { Authorizer } from './rule/authorizer.ts'
import type { Identified, ServiceAccountTokens } from './identity/service-account-tokens.ts'

/** Authorizes actions and identifies tokens, for operations and reviews. */
export interface Access {
  readonly authorizer: Authorizer
  readonly tokens: ServiceAccountTokens
  /** Whose token it is, if it is meant for one of the audiences (default: this server); undefined when it is nobody's. */
  readonly identify: (token: string, audiences?: readonly string[]) => Identified | undefined
}
