import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import type { Replacement } from './replacement.ts'
import type { PastRefusal } from './past-refusal.ts'

/** Objects that are to be made, all alike. */
export interface Demand {
  /** The next of them, before admission fills it in. */
  readonly next: KubeObject
  readonly resource: GroupResource
  readonly wanted: number
  readonly existing: number
  /** The workload that makes them; undefined for the object that is asked about. */
  readonly maker: KubeObject | undefined
  /** What the API server last said to the maker. */
  readonly refusal: PastRefusal | undefined
  /** The stored object that the next one takes the place of. */
  readonly replaces?: KubeObject
  /** A rollout that has not begun: the pods that these take the place of. */
  readonly replacement?: Replacement
}

export const missingOf = ({ wanted, existing }: Demand): number => Math.max(0, wanted - existing)
