import { withLimitDefaults } from '../../charges/limit-range/limit-defaults.ts'
import { rangeRefusal } from '../../charges/limit-range/range-refusal.ts'
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
      const refusal = rangeRefusal(rangesOf(review.namespace), review.resource.bucket, review.object)
      if (refusal !== undefined) throw forbidden(review.resource.id, review.name, refusal)
    },
  }
}

/** Pods are held to limits when created or resized, claims whenever they are written. */
function isLimited({ resource, operation, subresource }: Review): boolean {
  if (operation === 'DELETE') return false
  if (resource.bucket === 'persistentvolumeclaims') return subresource === ''
  return resource.bucket === 'pods' && (operation === 'CREATE' ? subresource === '' : subresource === 'resize')
}
