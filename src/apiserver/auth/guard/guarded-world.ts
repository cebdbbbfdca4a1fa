import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { Registry } from '../../resource/registry.ts'
import type { Authorizer } from '../rule/authorizer.ts'

/** The serverContext of a write that guards may read. */
export interface GuardedWorld {
  readonly authorizer: Authorizer
  readonly store: StoredObjects
  readonly registry: Registry
}
