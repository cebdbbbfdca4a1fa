import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName, isValidLabelValue } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { absent, countOf, listOf, numberOf, objectOf, objectsOf, textOf, textsOf } from '../../machinery/read.ts'
import { joinedKey, repetitions } from '../rule/repetition.ts'
import { labelSelectorOf } from '../rule/label-selector.ts'
import { obeys, oneOfIfSet } from '../rule/value.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const BAD_OPERATOR = 'not a valid selector operator'
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway']

function validateRequirement(one: JsonObject, anyValue: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const operator = textOf(one.operator)
  const count = listOf(one.values).length
  const at = `${path}.values`
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1) errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  } else errors.push(invalid(`${path}.operator`, operator, BAD_OPERATOR))
  append(errors, obeys(textOf(one.key), isQualifiedName, `${path}.key`))
  if (!anyValue)
    textsOf(one.values).forEach((value, index) => append(errors, obeys(value, isValidLabelValue, `${at}[${index}]`)))
  return errors
}

function validateFieldRequirement(one: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const operator = textOf(one.operator)
  const values = textsOf(one.values)
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalid(`${path}.operator`, operator, BAD_OPERATOR))
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(required(`${path}.values`, detail))
  }
  if (one.key !== 'metadata.name')
    errors.push(invalid(`${path}.key`, textOf(one.key), 'not a valid field selector key'))
  else values.forEach((value, index) => append(errors, obeys(value, isDNS1123Subdomain, `${path}.values[${index}]`)))
  return errors
}

const validateTerm = (term: JsonObject, anyValue: boolean, path: string): readonly FieldError[] => [
  ...objectsOf(term.matchExpressions).flatMap((one, index) =>
    validateRequirement(one, anyValue, `${path}.matchExpressions[${index}]`),
  ),
  ...objectsOf(term.matchFields).flatMap((one, index) =>
    validateFieldRequirement(one, `${path}.matchFields[${index}]`),
  ),
]

/** Which nodes will do (core `ValidateNodeSelector`): of pods, and of volumes. */
export function validateNodeSelector(selector: JsonObject, path: string): readonly FieldError[] {
  const terms = objectsOf(selector.nodeSelectorTerms)
  const at = `${path}.nodeSelectorTerms`
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => validateTerm(term, false, `${at}[${index}]`))
}

const weight = (one: JsonObject, path: string): readonly FieldError[] => {
  const value = countOf(one.weight)
  return value <= 0 || value > 100 ? [invalid(`${path}.weight`, value, 'must be in the range 1-100')] : []
}

function validateNodeAffinity(affinity: JsonObject, path: string): readonly FieldError[] {
  const preferred = objectsOf(affinity[PREFERRED]).flatMap((one, index) => {
    const at = `${path}.${PREFERRED}[${index}]`
    return [...weight(one, at), ...validateTerm(objectOf(one.preference), true, `${at}.preference`)]
  })
  return absent(affinity[REQUIRED])
    ? preferred
    : [...validateNodeSelector(objectOf(affinity[REQUIRED]), `${path}.${REQUIRED}`), ...preferred]
}

function validatePodTerm(term: JsonObject, path: string): readonly FieldError[] {
  const key = textOf(term.topologyKey)
  return [
    ...validateLabelSelector(labelSelectorOf(term.labelSelector), `${path}.labelSelector`),
    ...validateLabelSelector(labelSelectorOf(term.namespaceSelector), `${path}.namespaceSelector`),
    ...textsOf(term.namespaces).flatMap((name) => obeys(name, isDNS1123Label, `${path}.namespace`)),
    ...['matchLabelKeys', 'mismatchLabelKeys'].flatMap((field) =>
      validateLabelKeys(term[field], absent(term.labelSelector), `${path}.${field}`),
    ),
    ...(key === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...obeys(key, isQualifiedName, `${path}.topologyKey`),
  ]
}

function validateLabelKeys(keys: unknown, alone: boolean, path: string): readonly FieldError[] {
  const names = textsOf(keys)
  if (names.length === 0) return []
  if (alone) return [forbidden(path, 'must not be specified when labelSelector is not set')]
  return names.flatMap((name, index) => obeys(name, isQualifiedName, `${path}[${index}]`))
}

const validatePodAffinity = (affinity: JsonObject, path: string): readonly FieldError[] => [
  ...objectsOf(affinity[REQUIRED]).flatMap((term, index) => validatePodTerm(term, `${path}.${REQUIRED}[${index}]`)),
  ...objectsOf(affinity[PREFERRED]).flatMap((one, index) => {
    const at = `${path}.${PREFERRED}[${index}]`
    return [...weight(one, at), ...validatePodTerm(objectOf(one.podAffinityTerm), `${at}.podAffinityTerm`)]
  }),
]

/** A pod's affinities (core `validateAffinity`). */
export function validateAffinity(value: unknown, path: string): readonly FieldError[] {
  if (absent(value)) return []
  const affinity = objectOf(value)
  return [
    ...validateNodeAffinity(objectOf(affinity.nodeAffinity), `${path}.nodeAffinity`),
    ...validatePodAffinity(objectOf(affinity.podAffinity), `${path}.podAffinity`),
    ...validatePodAffinity(objectOf(affinity.podAntiAffinity), `${path}.podAntiAffinity`),
  ]
}

/** How evenly pods are spread (core `validateTopologySpreadConstraints`). */
export function validateSpread(constraints: unknown, path: string): readonly FieldError[] {
  const list = objectsOf(constraints)
  const identity = (one: JsonObject): string => joinedKey(textOf(one.topologyKey), textOf(one.whenUnsatisfiable))
  // It is the earlier one of two that is named.
  const last = list.length - 1
  const again = new Set(repetitions(list.toReversed(), identity).map((index) => last - index))
  return list.flatMap((constraint, index) => {
    const at = `${path}[${index}]`
    const skew = countOf(constraint.maxSkew)
    const key = textOf(constraint.topologyKey)
    const action = textOf(constraint.whenUnsatisfiable)
    const errors: FieldError[] = []
    if (skew <= 0) errors.push(invalid(`${at}.maxSkew`, skew, 'must be greater than zero'))
    if (key === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'))
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, ACTIONS))
    if (again.has(index)) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`))
    append(errors, validateMinDomains(constraint, action, `${at}.minDomains`))
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'])
      append(errors, oneOfIfSet(constraint[policy], ['Honor', 'Ignore'], `${at}.${policy}`))
    append(errors, validateSpreadKeys(constraint, `${at}.matchLabelKeys`))
    append(errors, validateLabelSelector(labelSelectorOf(constraint.labelSelector), `${at}.labelSelector`))
    return errors
  })
}

function validateMinDomains(constraint: JsonObject, action: string, path: string): readonly FieldError[] {
  const least = numberOf(constraint.minDomains)
  if (least === undefined) return []
  const errors: FieldError[] = []
  if (least <= 0) errors.push(invalid(path, least, 'must be greater than zero'))
  if (action !== 'DoNotSchedule') {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
    errors.push(invalid(path, least, detail))
  }
  return errors
}

function validateSpreadKeys(constraint: JsonObject, path: string): readonly FieldError[] {
  const keys = textsOf(constraint.matchLabelKeys)
  if (keys.length === 0) return []
  const errors: FieldError[] = []
  const selector = objectOf(constraint.labelSelector)
  const selected = new Set([
    ...Object.keys(objectOf(selector.matchLabels)),
    ...objectsOf(selector.matchExpressions).map((one) => textOf(one.key)),
  ])
  if (absent(constraint.labelSelector))
    errors.push(forbidden(path, 'must not be specified when labelSelector is not set'))
  keys.forEach((key, index) => {
    append(errors, obeys(key, isQualifiedName, `${path}[${index}]`))
    if (selected.has(key))
      errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'))
  })
  return errors
}
