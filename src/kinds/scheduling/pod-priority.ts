import type { Pod } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, textOf } from '../../machinery/read.ts'
import { forbidden } from '../../machinery/status.ts'

const PODS = { group: '', resource: 'pods' }

/** The priority classes that there are. */
export interface PriorityClasses {
  readonly find: (name: string) => KubeObject | undefined
  readonly all: () => Iterable<KubeObject>
}

/**
 * Gives a new pod the value and preemption policy of its priority class, as upstream's Priority plugin does. `name`: of the pod, for messages. Throws 403
 * where there is no such class, and where the pod says something else.
 */
export function withPriority(pod: Pod, name: string, classes: PriorityClasses): KubeObject {
  const spec = specOf(pod)
  const asked = textOf(spec.priorityClassName)
  const found = asked === '' ? globalDefault(classes) : classes.find(asked)
  if (found === undefined && asked !== '') throw forbidden(PODS, name, `no PriorityClass with name ${asked} was found`)
  const value = typeof found?.['value'] === 'number' ? found['value'] : 0
  const policy = typeof found?.['preemptionPolicy'] === 'string' ? found['preemptionPolicy'] : 'PreemptLowerPriority'
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
    ...pod,
    spec: {
      ...spec,
      ...(className === undefined ? {} : { priorityClassName: className }),
      priority: value,
      preemptionPolicy: policy,
    },
  }
}

/** The class for pods that name none; of several the one with the lowest value, as upstream picks it. */
export function globalDefault({ all }: Pick<PriorityClasses, 'all'>): KubeObject | undefined {
  let best: KubeObject | undefined
  for (const object of all()) {
    if (object['globalDefault'] !== true) continue
    if (best === undefined || Number(object['value']) < Number(best['value'])) best = object
  }
  return best
}
