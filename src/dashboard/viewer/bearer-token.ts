/** Longer than any token of a service account or of OpenID Connect. */
const LONGEST_TOKEN = 16 * 1024
/** As RFC 6750 writes a bearer token. */
const BEARER = /^Bearer +([-\w.~+/]+=*)$/i

/** The token of an `Authorization` header; undefined where it holds none that an API server could know. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > LONGEST_TOKEN) return undefined
  return BEARER.exec(authorization)?.[1]
}
