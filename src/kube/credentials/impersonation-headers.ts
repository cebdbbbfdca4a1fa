import type { ImpersonatedUser } from '../access/cluster-access.ts'
import { headerText } from './source.ts'

/** The `Impersonate-*` headers; keys of `extra` are escaped where a header's name could not hold them. */
export function impersonationHeaders(as: ImpersonatedUser | undefined): Readonly<Record<string, string | string[]>> {
  if (as === undefined) return {}
  return {
    'impersonate-user': headerText(as.user),
    ...(as.uid === undefined ? {} : { 'impersonate-uid': headerText(as.uid) }),
    ...(as.groups.length === 0 ? {} : { 'impersonate-group': as.groups.map(headerText) }),
    ...Object.fromEntries(
      Object.entries(as.extra).map(([key, values]) => [`impersonate-extra-${escapedKey(key)}`, values.map(headerText)]),
    ),
  }
}

/** Percent-encodes characters that a token must not contain (RFC 9110, 5.6.2), and the percent sign itself. */
function escapedKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((octet) => {
      const letter = String.fromCharCode(octet)
      return /[\w!#$&'*+.^`|~-]/.test(letter) ? letter : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}
