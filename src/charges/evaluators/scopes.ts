import type { PersistentVolumeClaim, Pod } from '../../builtin/core-v1.ts'
import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { invalid, sentence } from '../../machinery/field-error.ts'
import { isValidLabelValue } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { givenObject, givenObjects, listOf, objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { type Evaluator, ScopeError, type ScopeTest } from '../evaluator.ts'
import { isTerminating } from './pod-lifecycle.ts'
import { isBestEffort } from '../../kinds/core/pod/qos-class.ts'

/** The tests of the scopes of pods (upstream `podMatchesScopeFunc`); only PriorityClass looks at the requirement's operator. */
export const POD_SCOPES: ReadonlyMap<string, ScopeTest> = new Map<string, ScopeTest>([
  ['Terminating', (pod) => isTerminating(pod)],
  ['NotTerminating', (pod) => !isTerminating(pod)],
  ['BestEffort', (pod) => isBestEffort(pod)],
  ['NotBestEffort', (pod) => !isBestEffort(pod)],
  ['PriorityClass', (pod, requirement) => selects(requirement, priorityClassOf(pod))],
  ['CrossNamespacePodAffinity', (pod) => reachesOtherNamespaces(pod)],
])

/** The test of the scope of PersistentVolumeClaims (docs/concepts/scopes.md). */
export const CLAIM_SCOPES: ReadonlyMap<string, ScopeTest> = new Map<string, ScopeTest>([
  [
    'VolumeAttributesClass',
    (claim, requirement) => {
      const names = attributesClasses(claim)
      if (requirement.operator === 'Exists') return names.length > 0
      return names.length === 0 ? selects(requirement, '') : names.some((name) => selects(requirement, name))
    },
  ],
])

/** Returns the facts that decide the scopes of a pod, as one text. */
export function podScopeFacts(pod: Pod): string {
  return `${isTerminating(pod)} ${isBestEffort(pod)} ${reachesOtherNamespaces(pod)} ${priorityClassOf(pod)}`
}

/** Returns the facts that decide the scopes of a claim, as one text. */
export function claimScopeFacts(claim: PersistentVolumeClaim): string {
  return [...new Set(attributesClasses(claim))].toSorted().join(' ')
}

/**
 * The requirements that an object meets, in their order; none where its kind has no scopes. Throws ScopeError where a
 * requirement cannot be evaluated, whichever others match.
 */
export function matchingScopes(
  evaluator: Evaluator,
  requirements: readonly ScopeRequirement[],
  object: KubeObject,
): readonly ScopeRequirement[] {
  const scopes = evaluator.scopes
  if (scopes === undefined || requirements.length === 0) return []
  return requirements.filter((requirement) => scopes.get(requirement.scopeName)?.(object, requirement) ?? false)
}

const priorityClassOf = (pod: Pod): string => textOf(specOf(pod).priorityClassName)

/** Every VolumeAttributesClass that a claim asks for, has, or is being moved to. */
function attributesClasses(claim: PersistentVolumeClaim): readonly string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = statusOf(claim)
  const names = [
    specOf(claim).volumeAttributesClassName,
    currentVolumeAttributesClassName,
    objectOf(modifyVolumeStatus).targetVolumeAttributesClassName,
  ]
  return names.map(textOf).filter((name) => name !== '')
}

/**
 * Reports whether a requirement selects a value, as a label selector on one key. An empty value means that the key is
 * absent. Throws ScopeError.
 */
export function selects(requirement: ScopeRequirement, value: string): boolean {
  const values = requirement.values ?? []
  switch (requirement.operator) {
    case 'Exists':
      return value !== ''
    case 'DoesNotExist':
      return value === ''
    case 'In':
      checkValues(requirement.scopeName, values)
      return values.includes(value) && value !== ''
    case 'NotIn':
      checkValues(requirement.scopeName, values)
      return value === '' || !values.includes(value)
    case undefined:
    default:
      throw new ScopeError(`"${requirement.operator ?? ''}" is not a valid scope selector operator`)
  }
}

function checkValues(scopeName: string, values: readonly string[]): void {
  if (values.length === 0) throw unusable(`for 'in', 'notin' operators, values set can't be empty`)
  for (const [index, value] of values.entries()) {
    const wrong = isValidLabelValue(value)
    if (wrong.length > 0) throw unusable(sentence(invalid(`values[${index}][${scopeName}]`, value, wrong.join('; '))))
  }
}

function unusable(why: string): ScopeError {
  return new ScopeError(`failed to parse and convert selector: ${why}`)
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Reports whether an (anti-)affinity term names namespaces, even the pod's own, or selects them, even with `{}`. */
function reachesOtherNamespaces(pod: Pod): boolean {
  const affinity = givenObject(specOf(pod).affinity)
  if (affinity === undefined) return false
  return [affinity.podAffinity, affinity.podAntiAffinity].some((kind) => {
    const terms = objectOf(kind)
    const preferred = givenObjects(terms[PREFERRED]).map(({ podAffinityTerm }) => objectOf(podAffinityTerm))
    return [...givenObjects(terms[REQUIRED]), ...preferred].some(
      ({ namespaces, namespaceSelector }) =>
        listOf(namespaces).length > 0 || givenObject(namespaceSelector) !== undefined,
    )
  })
}
