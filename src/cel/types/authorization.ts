/** Something that is asked of an authorizer: a verb on a path, or on a resource. */
export interface AuthorizationQuery {
  readonly verb: string
  /** For a path that is not a resource. */
  readonly path?: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface AuthorizationAnswer {
  readonly allowed: boolean
  readonly reason: string
  /** The message of a failed authorization check; undefined when it succeeded. */
  readonly error?: string
}

/** Answers what somebody may do. `account` asks on behalf of a ServiceAccount instead. */
export type Authorize = (
  query: AuthorizationQuery,
  account: { readonly namespace: string; readonly name: string } | undefined,
) => AuthorizationAnswer

type Account = Parameters<Authorize>[1]

/** `authorizer` in an expression. */
export class CelAuthorizer {
  readonly authorize: Authorize
  readonly account: Account
  constructor(authorize: Authorize, account?: Account) {
    this.authorize = authorize
    this.account = account
  }
}

/** `authorizer.path('/healthz')`. */
export class PathCheck {
  readonly authorizer: CelAuthorizer
  readonly path: string
  constructor(authorizer: CelAuthorizer, path: string) {
    this.authorizer = authorizer
    this.path = path
  }
}

/** `authorizer.group('apps')`. */
export class GroupCheck {
  readonly authorizer: CelAuthorizer
  readonly group: string
  constructor(authorizer: CelAuthorizer, group: string) {
    this.authorizer = authorizer
    this.group = group
  }
}

/** `authorizer.group('apps').resource('deployments')`, and what it is narrowed to. */
export class ResourceCheck {
  readonly authorizer: CelAuthorizer
  readonly query: Omit<AuthorizationQuery, 'verb'>
  constructor(authorizer: CelAuthorizer, query: Omit<AuthorizationQuery, 'verb'>) {
    this.authorizer = authorizer
    this.query = query
  }

  with(more: Partial<AuthorizationQuery>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.query, ...more })
  }
}

/** The answer of an authorizer. */
export class AuthorizationDecision {
  readonly answer: AuthorizationAnswer
  constructor(answer: AuthorizationAnswer) {
    this.answer = answer
  }
}
