import { jsonEqual } from '../../machinery/json-value.ts'
import { forbidden } from '../../machinery/status.ts'
import { objectOf, specOf, textOf } from '../kind/read.ts'
import type { Store } from '../../store/store.ts'
import type { AdmissionPlugin } from './chain.ts'

const PODS = { group: '', resource: 'pods' }

/** Upstream's RuntimeClass plugin: a new pod gets the overhead of its runtime class, which quotas charge as well. */
export function runtimeClass(store: Store): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate: ({ resource, operation, subresource, name, object }) => {
      if (resource.bucket !== 'pods' || operation !== 'CREATE' || subresource !== '') return object
      const spec = specOf(object)
      const asked = textOf(spec['runtimeClassName'])
      const found = asked === '' ? undefined : store.latest('runtimeclasses.node.k8s.io', asked)?.object
      if (found === undefined && asked !== '')
        throw forbidden(PODS, name, `pod rejected: RuntimeClass "${asked}" not found`)
      const overhead = found === undefined ? undefined : objectOf(found['overhead'])['podFixed']
      if (overhead === undefined) {
        if (spec['overhead'] === undefined) return object
        throw forbidden(
          PODS,
          name,
          'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        )
      }
      if (spec['overhead'] !== undefined && !jsonEqual(spec['overhead'], overhead))
        throw forbidden(PODS, name, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
      return { ...object, spec: { ...spec, overhead } }
    },
  }
}
