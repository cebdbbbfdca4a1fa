import type { ScopeRequirement } from '../../api/resource-quota/resource-quota.ts'
import { invalid, sentence } from '../../machinery/field-error.ts'
import { isValidLabelValue } from '../../machinery/names.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { type Evaluator, ScopeError, type ScopeTest } from '../evaluator.ts'
import { isTerminating } from './pod-lifecycle.ts'
import { isBestEffort } from '../../kinds/core/pod/qos-class.ts'
import { listAt, objectAt, objectsAt, textAt } from './read-field.ts'

/** The tests of the scopes of pods (upstream `podMatchesScopeFunc`); only PriorityClass looks at the requirement's operator. */
export const POD_SCOPES: ReadonlyMap<string, ScopeTest> = new Map<string, ScopeTest>([
  ['Terminating', (pod) => isTerminating(pod)],
  ['NotTerminating', (pod) => !isTerminating(pod)],
  ['BestEffort', (pod) => isBestEffort(pod)],
  ['NotBestEffort', (pod) => !isBestEffort(pod)],
  ['PriorityClass', (pod, requirement) => selects(requirement, textAt(objectAt(pod, 'spec'), 'priorityClassName'))],
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
export function podScopeFacts(pod: KubeObject): string {
  const className = textAt(objectAt(pod, 'spec'), 'priorityClassName')
  return `${isTerminating(pod)} ${isBestEffort(pod)} ${reachesOtherNamespaces(pod)} ${className}`
}

/** Returns the facts that decide the scopes of a claim, as one text. */
export function claimScopeFacts(claim: KubeObject): string {
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

/** Every VolumeAttributesClass that a claim asks for, has, or is being moved to. */
function attributesClasses(claim: KubeObject): readonly string[] {
  const status = objectAt(claim, 'status')
  const names = [
    textAt(objectAt(claim, 'spec'), 'volumeAttributesClassName'),
    textAt(status, 'currentVolumeAttributesClassName'),
    textAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ]
  return names.filter((name) => name !== '')
}

/** Does a requirement select a value? Label selector semantics on one key; an empty value means that the key is absent. Throws ScopeError. */
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

/** Does any (anti-)affinity term name namespaces, were it the pod's own, or select them, were it with `{}`? */
function reachesOtherNamespaces(pod: KubeObject): boolean {
  const affinity = objectAt(objectAt(pod, 'spec'), 'affinity')
  if (affinity === undefined) return false
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const terms = objectAt(affinity, kind)
    const preferred = objectsAt(terms, PREFERRED).map((weighted) => objectAt(weighted, 'podAffinityTerm'))
    return [...objectsAt(terms, REQUIRED), ...preferred].some(
      (term) => listAt(term, 'namespaces').length > 0 || isObject(term?.['namespaceSelector']),
    )
  })
}
