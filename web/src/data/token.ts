/** The token in the part of an address after `#`, as the URL that `allot up` writes has it. It is never sent to a server. */
export function tokenIn(hash: string): string | undefined {
  const given = /^#\/?token=(.+)$/.exec(hash)?.[1]
  if (given === undefined) return undefined
  try {
    return decodeURIComponent(given)
  } catch {
    return undefined
  }
}

/** The user that a token names, as far as it says so itself. It decides nothing: the API server does. */
export function userIn(token: string): string | undefined {
  const [, payload] = token.split('.')
  if (payload === undefined) return undefined
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const claims: unknown = JSON.parse(decodeURIComponent(text.replaceAll(/[^]/g, percentEncoded)))
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return undefined
    return typeof claims.sub === 'string' ? claims.sub : undefined
  } catch {
    return undefined
  }
}

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`

/** The namespace of a ServiceAccount by its user name. */
export const namespaceOfUser = (user: string | undefined): string | undefined =>
  /^system:serviceaccount:([^:]+):[^:]+$/.exec(user ?? '')?.[1]
