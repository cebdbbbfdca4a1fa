import type { Store } from '../../store/store.ts'
import type { Registry } from '../resource/registry.ts'
import type { Authorizer } from './authorizer.ts'

/** What guards may look at besides the write itself. */
export interface GuardedWorld {
  readonly authorizer: Authorizer
  readonly store: Store
  readonly registry: Registry
}
