import type { KubeObject } from '../../machinery/object.ts'
import type { ObjectRequest } from './object-request.ts'

/** The request that admission reviews. */
export interface Review extends ObjectRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** As it would be stored; undefined for DELETE. */
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** A review that carries the object to be stored. */
export type WriteReview = Review & { readonly object: KubeObject; readonly operation: 'CREATE' | 'UPDATE' }

/** How refusals name the object: before it has its name, by what the name is to begin with (upstream `NewForbidden`). */
export const nameOf = ({ name, object }: Review): string =>
  name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
