import type { KubeObject } from '../../machinery/object.ts'
import { MOST_VIOLATIONS } from './limit-violations.ts'
import { rangeViolations } from './range-violations.ts'

/**
 * Why the LimitRanges of a namespace refuse a pod or a claim of a volume, worded as upstream's LimitRanger: all violations at once. Undefined where they
 * do not. `bucket`: `pods` or `persistentvolumeclaims`. Throws QuantityError.
 */
export function rangeRefusal(ranges: readonly KubeObject[], bucket: string, object: KubeObject): string | undefined {
  const violations = ranges
    .values()
    .flatMap((range) => rangeViolations(range, bucket, object))
    .take(MOST_VIOLATIONS)
    .toArray()
  if (violations.length <= 1) return violations[0]
  return `[${violations.join(', ')}${violations.length < MOST_VIOLATIONS ? '' : ', and perhaps more'}]`
}
