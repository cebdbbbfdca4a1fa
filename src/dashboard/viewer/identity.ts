import type { SelfSubjectReview } from '../../builtin/authentication-v1.ts'
import type { Holder } from '../bounds/shares.ts'
import { parseJson } from '../../machinery/json-text.ts'
import { objectOf, statusOf, textOf } from '../../machinery/read.ts'

/** Whose requests share bounds. */
export interface Identity {
  /** All ServiceAccounts of a namespace are one account, as whoever rules there makes as many as it likes; so are all tokens of a user. */
  readonly account: Holder
  /** The namespace of a ServiceAccount; empty for others. */
  readonly namespace: string
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/

/** Whom a SelfSubjectReview names; undefined where it names nobody. */
export function reviewedIdentity(review: unknown): Identity | undefined {
  const { username } = objectOf(statusOf(objectOf(review) as Partial<SelfSubjectReview>).userInfo)
  return textOf(username) === '' ? undefined : identityOf('', textOf(username))
}

/**
 * For API servers without SelfSubjectReview: whom a token names that the API server has accepted. Its signature is not looked at, so nothing but
 * bounds may depend on this. A token that names nobody has an account of its own, by its digest.
 */
export function claimedIdentity(token: string, digest: string): Identity {
  const claims = claimsOf(token)
  const [issuer, subject] = [textOf(claims['iss']), textOf(claims['sub'])]
  return subject === ''
    ? { account: { name: `token ${digest}`, isMinted: true }, namespace: '' }
    : identityOf(issuer, subject)
}

function identityOf(issuer: string, name: string): Identity {
  const [, namespace = ''] = SERVICE_ACCOUNT.exec(name) ?? []
  const kind = namespace === '' ? `user ${name}` : `namespace ${namespace}`
  return { account: { name: issuer === '' ? kind : `${kind} of ${issuer}`, isMinted: namespace !== '' }, namespace }
}

/** The claims of a JSON Web Token; none for what is not one. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.')
  try {
    return objectOf(parseJson(Buffer.from(payload, 'base64url').toString('utf8')))
  } catch {
    return {}
  }
}
