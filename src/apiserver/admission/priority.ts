import type { Pod, PodSpec } from '../../builtin/core-v1.ts'
import { globalDefault, type PriorityClasses, withPriority } from '../../kinds/scheduling/pod-priority.ts'
import { specOf } from '../../machinery/read.ts'
import { forbidden } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'

const CLASSES = 'priorityclasses.scheduling.k8s.io'

/** Upstream's Priority plugin: gives a new pod the value and preemption policy of its priority class. */
export function priority(store: StoredObjects): AdmissionPlugin {
  const classes: PriorityClasses = {
    find: (name) => store.latest(CLASSES, name)?.object,
    all: () => Array.from(store.latestIn(CLASSES, undefined), ({ object }) => object),
  }
  return {
    name: 'Priority',
    mutate: ({ resource, operation, subresource, object, oldObject, name }) => {
      if (resource.bucket !== 'pods' || subresource !== '') return object
      const spec = specOf<Pod>(object)
      if (operation === 'UPDATE') {
        const before: PodSpec = oldObject === undefined ? {} : specOf<Pod>(oldObject)
        const kept = spec.priority === undefined && before.priority !== undefined
        return kept
          ? {
              ...object,
              spec: {
                ...spec,
                priority: before.priority,
                preemptionPolicy: spec.preemptionPolicy ?? before.preemptionPolicy,
              },
            }
          : object
      }
      return withPriority(object, name, classes)
    },
    validate: ({ resource, operation, object, oldObject }) => {
      if (resource.bucket !== CLASSES || operation === 'DELETE' || object?.['globalDefault'] !== true) return
      const other = globalDefault(classes)
      if (other !== undefined && other.metadata.name !== (oldObject ?? object).metadata.name)
        throw forbidden(
          { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
          object.metadata.name ?? '',
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        )
    },
  }
}
