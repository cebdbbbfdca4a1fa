import { QUOTA_EVALUATORS } from '../charges/evaluators/table.ts'
import { lookupAmong } from '../charges/lookup.ts'
import type { GroupResource } from '../machinery/status.ts'
import type { ResourceList } from '../quantity/resource-list.ts'
import { type GivenObject, readGiven } from './given-object.ts'
import { resourceOf } from './resource-of.ts'

export interface UsageOptions {
  /** The resource of the object, where `resourceOf` does not know it. */
  readonly resource?: GroupResource
  /** Milliseconds since the epoch, default now: a pod whose deletion is overdue uses nothing any more. */
  readonly now?: number
  /** The objects that a resource claim's cost depends on: the device classes it names; for one made for a pod, that pod and its claims. */
  readonly related?: readonly GivenObject[]
}

/**
 * Returns the cost of an object, under every name that a quota may count it by: `usageOf(pod)['requests.cpu']`. A kind that is never
 * charged (events, reviews) costs nothing. Throws InputError for a value that is not an object, and QuantityError for an invalid
 * amount.
 */
export function usageOf(given: GivenObject, options: UsageOptions = {}): ResourceList {
  const object = readGiven(given, 'object', options.resource !== undefined)
  const { resource = resourceOf(object), now = Date.now() } = options
  const related = (options.related ?? []).map((one, index) => readGiven(one, `related[${index}]`))
  return QUOTA_EVALUATORS.of(resource)?.usage(object, { now, lookup: lookupAmong(related, resourceOf) }) ?? {}
}
