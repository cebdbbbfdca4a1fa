import type { KubeObject } from '../machinery/object.ts'
import { assertKind } from './input-error.ts'
import type { GroupResource } from '../machinery/status.ts'

/**
 * The resource under which objects of a kind are served, by the rule that tools use without a server: lower case, and the
 * English plural. Kinds that do not follow it (of custom resources, and `Endpoints`) need `resource` to be given. Throws
 * InputError for what says neither.
 */
export function resourceOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupResource {
  assertKind(object, 'object')
  const { apiVersion, kind } = object
  const slash = apiVersion.indexOf('/')
  return { group: slash === -1 ? '' : apiVersion.slice(0, slash), resource: plural(kind.toLowerCase()) }
}

function plural(singular: string): string {
  if (singular === 'endpoints') return singular
  if (/(?:s|x|z|ch|sh)$/.test(singular)) return `${singular}es`
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
