import { QUOTA_EVALUATORS } from '../charges/evaluators/table.ts'
import {
  type QuotaRecountInput,
  type Recount,
  recount as recountQuota,
} from '../systems/resource-quota/decide/count/recount.ts'
import type { GroupResource } from '../machinery/status.ts'
import { type GivenObject, type GivenQuota, readGiven, readGivenQuota } from './given-object.ts'

/** A quota, the objects of its namespace, and the time. */
export interface RecountInput extends Omit<QuotaRecountInput, 'evaluators' | 'quota' | 'objectsOf'> {
  readonly quota: GivenQuota
  /** The objects of one resource in the quota's namespace; undefined where no such resource is served. */
  readonly objectsOf: (of: GroupResource) => Iterable<GivenObject> | undefined
}

/**
 * Counts a quota anew: its spec's limits and what objects use of them. A limit that nothing can count keeps the usage it
 * had, or has none.
 */
export function recount({ quota, objectsOf, ...input }: RecountInput): Recount {
  return recountQuota({
    ...input,
    quota: readGivenQuota(quota, 'quota'),
    objectsOf: (of) => {
      const objects = objectsOf(of)
      return objects === undefined
        ? undefined
        : Array.from(objects, (object, index) => readGiven(object, `${of.resource}[${index}]`, true))
    },
    evaluators: QUOTA_EVALUATORS,
  })
}
