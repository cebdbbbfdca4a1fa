import type { Evaluators } from '../../charges/evaluator.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'

/** How the objects of a counted quota are charged. */
interface Counting {
  /** The names of its limits. */
  readonly names: readonly string[]
  /** Does it count objects of the resource? Left out: the objects tell. */
  readonly isOf?: (resource: GroupResource) => boolean
  /** What an object costs, by limit. */
  readonly costOf: (object: KubeObject) => ResourceList
}

/** The evaluators of one counted quota; no other budget uses them. */
export function countingEvaluators({ names, isOf = () => true, costOf }: Counting): Evaluators {
  const counted = new Set(names)
  return {
    of: ({ group, resource }) =>
      isOf({ group, resource })
        ? {
            group,
            resource,
            handles: ({ operation, subresource }) =>
              subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
            counts: (name) => counted.has(name),
            names,
            usage: costOf,
          }
        : undefined,
  }
}
