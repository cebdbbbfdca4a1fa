import { guessedResource } from '../api/guessed-resource.ts'
import type { GivenObject } from './given-object.ts'
import { assertKind } from './input-error.ts'
import type { GroupResource } from '../machinery/status.ts'

/**
 * The resource under which objects of a kind are served, by the rule that tools use without a server: lower case, and the
 * English plural. Kinds that do not follow it (of custom resources, and `Endpoints`) need `resource` to be given. Throws
 * InputError for what says neither.
 */
export function resourceOf(object: Pick<GivenObject, 'apiVersion' | 'kind'>): GroupResource {
  const given: unknown = object
  assertKind(given, 'object')
  return guessedResource(given.apiVersion, given.kind)
}
