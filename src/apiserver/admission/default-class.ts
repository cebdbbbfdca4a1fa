import { DEFAULT_CLASSES, withDefaultClass } from '../../kinds/storage/default-class.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'

/** Upstream's DefaultStorageClass and DefaultIngressClass: a new object that names no class gets the default one, if any. */
export function defaultClasses(store: StoredObjects): readonly AdmissionPlugin[] {
  return DEFAULT_CLASSES.map((one) => ({
    name: one.plugin,
    mutate: ({ resource, operation, subresource, object }) => {
      if (resource.bucket !== one.objects || operation !== 'CREATE' || subresource !== '') return object
      return withDefaultClass(object, one, () =>
        [...store.latestIn(one.classes, undefined)].map((record) => record.object),
      )
    },
  }))
}
