import { type FieldError, forbidden } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { all, fill, fillAbsent } from '../rule/change.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { countOf, textOf } from '../../machinery/read.ts'
import type { Strategies } from '../strategy/strategy.ts'
import { oneOf } from '../rule/value.ts'
import { immutable } from '../core/pod/template-validation.ts'

const POLICIES = ['Never', 'PreemptLowerPriority']
const SYSTEM_PREFIX = 'system-'
/** The most that a user may give; above it there are only the two classes of the system. */
export const HIGHEST_USER_PRIORITY = 1_000_000_000

/** The classes that every cluster has. */
export const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
])

function systemProblem(name: string, object: KubeObject): string | undefined {
  const value = SYSTEM_CLASSES.get(name)
  if (value === undefined) return `${name} is not a known system priority class`
  if (countOf(object.value) !== value) return `value of ${name} PriorityClass must be ${value}`
  return object.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

function validate(object: KubeObject): readonly FieldError[] {
  const name = object.metadata.name ?? ''
  if (!name.startsWith(SYSTEM_PREFIX)) {
    return countOf(object.value) > HIGHEST_USER_PRIORITY
      ? [forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`)]
      : []
  }
  const problem = systemProblem(name, object)
  if (problem === undefined) return []
  const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`
  return [forbidden('metadata.name', detail)]
}

export const schedulingStrategies: Strategies = {
  'priorityclasses.scheduling.k8s.io': {
    ...lifecycle({ generation: true }),
    // Its generation is that of its creation for good.
    prepareForUpdate: (object) => object,
    shortNames: ['pc'],
    defaults: all(fill({ preemptionPolicy: 'PreemptLowerPriority' }), fillAbsent({ value: 0 })),
    validate: (object) => [...validate(object), ...oneOf(object.preemptionPolicy, POLICIES, 'preemptionPolicy')],
    validateUpdate: (object, old) => [
      ...(countOf(object.value) === countOf(old.value) ? [] : [forbidden('Value', 'may not be changed in an update.')]),
      ...immutable(textOf(object.preemptionPolicy), textOf(old.preemptionPolicy), 'preemptionPolicy'),
    ],
  },
  'podgroups.scheduling.k8s.io': lifecycle({ status: {}, generation: true }),
  'workloads.scheduling.k8s.io': lifecycle({ generation: true }),
}
