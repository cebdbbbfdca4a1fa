import { withLimitDefaults } from '../../charges/limit-range/limit-defaults.ts'
import { MOST_VIOLATIONS } from '../../charges/limit-range/limit-violations.ts'
import { rangeViolations } from '../../charges/limit-range/range-violations.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { Review } from '../storing/review.ts'

/**
 * Upstream's LimitRanger: gives containers of new pods the defaults of the namespace's LimitRanges, then holds pods,
 * containers and claims to their minima, maxima and ratios. All violations are reported at once.
 */
export function limitRanger(store: StoredObjects): AdmissionPlugin {
  const rangesOf = (namespace: string): readonly KubeObject[] =>
    [...store.latestIn('limitranges', namespace)].map(({ object }) => object)
  return {
    name: 'LimitRanger',
    mutate: ({ resource, operation, subresource, namespace, object }) =>
      resource.bucket === 'pods' && operation === 'CREATE' && subresource === ''
        ? withLimitDefaults(object, rangesOf(namespace))
        : object,
    validate: (review) => {
      if (!isLimited(review) || review.object === undefined) return
      const { object } = review
      const violations: string[] = []
      for (const range of rangesOf(review.namespace))
        for (const violation of rangeViolations(range, review.resource.bucket, object)) {
          violations.push(violation)
          if (violations.length >= MOST_VIOLATIONS) break
        }
      if (violations.length === 0) return
      throw forbidden(
        review.resource.id,
        review.name,
        violations.length === 1
          ? (violations[0] ?? '')
          : `[${violations.join(', ')}${violations.length < MOST_VIOLATIONS ? '' : ', and perhaps more'}]`,
      )
    },
  }
}

/** Pods are held to limits when created or resized, claims whenever they are written. */
function isLimited({ resource, operation, subresource }: Review): boolean {
  if (operation === 'DELETE') return false
  if (resource.bucket === 'persistentvolumeclaims') return subresource === ''
  return resource.bucket === 'pods' && (operation === 'CREATE' ? subresource === '' : subresource === 'resize')
}
