import type { StoredObjects } from '../storing/stored-objects.ts'
import { withRuntimeClass } from '../../kinds/node/pod-runtime-class.ts'
import type { AdmissionPlugin } from './chain.ts'

/** Upstream's RuntimeClass plugin: a new pod gets the overhead of its runtime class, which quotas charge as well. */
export function runtimeClass(store: StoredObjects): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate: ({ resource, operation, subresource, name, object }) => {
      if (resource.bucket !== 'pods' || operation !== 'CREATE' || subresource !== '') return object
      return withRuntimeClass(object, name, (asked) => store.latest('runtimeclasses.node.k8s.io', asked)?.object)
    },
  }
}
