import type { GroupResource } from '../machinery/status.ts'

/**
 * The resource under which objects of a kind are served, by the rule that tools use without a server: lower case, and the
 * English plural. Custom resources may be served under another name.
 */
export function guessedResource(apiVersion: string, kind: string): GroupResource {
  const slash = apiVersion.indexOf('/')
  return { group: slash === -1 ? '' : apiVersion.slice(0, slash), resource: plural(kind.toLowerCase()) }
}

function plural(singular: string): string {
  if (singular === 'endpoints') return singular
  if (/(?:s|x|z|ch|sh)$/.test(singular)) return `${singular}es`
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
