import type { PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { forbidden } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { specOf, textOf, valueAt } from '../../machinery/read.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { Review } from '../storing/review.ts'

/** Upstream's PersistentVolumeClaimResize: a claim grows only where its class says that volumes may. */
export function claimResize(store: StoredObjects): AdmissionPlugin {
  const check = ({ resource, operation, subresource, name, object, oldObject }: Review): void => {
    if (resource.bucket !== 'persistentvolumeclaims' || operation !== 'UPDATE' || subresource !== '') return
    const size = (claim: PersistentVolumeClaim): Quantity =>
      Quantity.fromJson(valueAt(claim, 'spec', 'resources', 'requests', 'storage') ?? '0')
    if (object === undefined || oldObject === undefined || size(object).cmp(size(oldObject)) <= 0) return
    const className = textOf(specOf<PersistentVolumeClaim>(oldObject)['storageClassName'])
    const found = className === '' ? undefined : store.latest('storageclasses.storage.k8s.io', className)?.object
    if (found?.['allowVolumeExpansion'] !== true)
      throw forbidden(
        resource.id,
        name,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
  }
  return { name: 'PersistentVolumeClaimResize', validate: check, holds: check }
}
