import type { Pod, PodSpec } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, textOf } from '../../machinery/read.ts'
import { forbidden } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'

const PODS = { group: '', resource: 'pods' }
const CLASSES = 'priorityclasses.scheduling.k8s.io'

/** Upstream's Priority plugin: gives a new pod the value and preemption policy of its priority class. */
export function priority(store: StoredObjects): AdmissionPlugin {
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
      const asked = textOf(spec.priorityClassName)
      const found = asked === '' ? globalDefault(store) : store.latest(CLASSES, asked)?.object
      if (found === undefined && asked !== '')
        throw forbidden(PODS, name, `no PriorityClass with name ${asked} was found`)
      const value = typeof found?.['value'] === 'number' ? found['value'] : 0
      const policy =
        typeof found?.['preemptionPolicy'] === 'string' ? found['preemptionPolicy'] : 'PreemptLowerPriority'
      if (spec.priority !== undefined && spec.priority !== value)
        throw forbidden(
          PODS,
          name,
          `the integer value of priority (${JSON.stringify(spec.priority)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        )
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
        throw forbidden(
          PODS,
          name,
          `the string value of PreemptionPolicy (${textOf(spec.preemptionPolicy)}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
        )
      const className = found?.metadata.name
      return {
        ...object,
        spec: {
          ...spec,
          ...(className === undefined ? {} : { priorityClassName: className }),
          priority: value,
          preemptionPolicy: policy,
        },
      }
    },
    validate: ({ resource, operation, object, oldObject }) => {
      if (resource.bucket !== CLASSES || operation === 'DELETE' || object?.['globalDefault'] !== true) return
      const other = globalDefault(store)
      if (other !== undefined && other.metadata.name !== (oldObject ?? object).metadata.name)
        throw forbidden(
          { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
          object.metadata.name ?? '',
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        )
    },
  }
}

/** The class for pods that name none; of several the one with the lowest value, as upstream picks it. */
function globalDefault(store: StoredObjects): KubeObject | undefined {
  let best: KubeObject | undefined
  for (const { object } of store.latestIn(CLASSES, undefined)) {
    if (object['globalDefault'] !== true) continue
    if (best === undefined || Number(object['value']) < Number(best['value'])) best = object
  }
  return best
}
