import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { Registry } from '../../resource/registry.ts'
import type { Authorizer } from '../rule/authorizer.ts'

/** What guards may look at besides the write itself. */
export interface GuardedWorld {
  readonly authorizer: Authorizer
  readonly store: StoredObjects
  readonly registry: Registry
}
