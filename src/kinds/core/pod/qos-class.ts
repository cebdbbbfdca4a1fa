import type { JsonObject } from '../../../machinery/object.ts'
import { amountOf } from '../../rule/amount.ts'
import { absent, isEmptyMap, objectOf, objectsOf } from '../../../machinery/read.ts'

type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

/**
 * A pod's quality of service from its spec (component-helpers `ComputePodQOS`): only cpu and memory above zero count.
 * Guaranteed when every container, or the pod as a whole, has limits for both that equal its requests.
 */
export function qosClass(spec: JsonObject): QosClass {
  const podLevel = objectOf(spec.resources)
  const whole = !absent(spec.resources) && !(isEmptyMap(podLevel.limits) && isEmptyMap(podLevel.requests))
  const parts = whole
    ? [podLevel]
    : [...objectsOf(spec.containers), ...objectsOf(spec.initContainers)].map((container) =>
        objectOf(container.resources),
      )
  const classes = new Set(parts.map(classOf))
  const [only = 'BestEffort'] = classes
  return classes.size > 1 ? 'Burstable' : only
}

function classOf(resources: JsonObject): QosClass {
  const cpu = classIn(resources, 'cpu')
  return classIn(resources, 'memory') === cpu ? cpu : 'Burstable'
}

/** What the requests and limits of one resource alone make of a container. */
function classIn(resources: JsonObject, name: string): QosClass {
  const request = positive(objectOf(resources.requests)[name])
  const limit = positive(objectOf(resources.limits)[name])
  if (request === undefined && limit === undefined) return 'BestEffort'
  return limit !== undefined && request?.equals(limit) === true ? 'Guaranteed' : 'Burstable'
}

const positive = (value: unknown) => {
  const amount = amountOf(value)
  return amount !== undefined && amount.sign() > 0 ? amount : undefined
}
