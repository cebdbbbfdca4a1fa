import type { KubeObject } from '../machinery/object.ts'
import { guessedResource } from '../api/guessed-resource.ts'
import { assertKind } from './input-error.ts'
import type { GroupResource } from '../machinery/status.ts'

/**
 * The resource under which objects of a kind are served, by the rule that tools use without a server: lower case, and the
 * English plural. Kinds that do not follow it (of custom resources, and `Endpoints`) need `resource` to be given. Throws
 * InputError for what says neither.
 */
export function resourceOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupResource {
  assertKind(object, 'object')
  return guessedResource(object.apiVersion, object.kind)
}
