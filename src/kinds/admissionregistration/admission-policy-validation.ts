import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
} from '../../builtin/admissionregistration-v1.ts'
import { append, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { absent, listOf, objectOf, objectsOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import { labelSelectorOf } from '../rule/label-selector.ts'
import { needed, oneOf, oneOfIfSet } from '../rule/value.ts'
import { validateWebhookRule } from './webhook-rule-validation.ts'

const FAILURE_POLICIES = ['Fail', 'Ignore']
const MATCH_POLICIES = ['Equivalent', 'Exact']
const REINVOCATIONS = ['IfNeeded', 'Never']
const ACTIONS = ['Audit', 'Deny', 'Warn']
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch']
const NEITHER = 'validations or auditAnnotations must be specified'

/** Validates the match resources of a policy or a binding (admissionregistration `validateMatchResources`). */
function validateMatch(value: unknown, path: string): readonly FieldError[] {
  const match = objectOf(value)
  const errors: FieldError[] = [...oneOfIfSet(match.matchPolicy, MATCH_POLICIES, `${path}.matchPolicy`)]
  for (const key of ['namespaceSelector', 'objectSelector'])
    append(errors, validateLabelSelector(labelSelectorOf(match[key]), `${path}.${key}`))
  for (const key of ['resourceRules', 'excludeResourceRules'])
    objectsOf(match[key]).forEach((rule, index) =>
      append(errors, validateWebhookRule(rule, `${path}.${key}[${index}]`)),
    )
  return errors
}

/** Validates the fields that both kinds of policies share. Expressions are stored, but neither evaluated nor compiled. */
function validatePolicy(spec: MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec): readonly FieldError[] {
  const errors: FieldError[] = [...oneOfIfSet(spec.failurePolicy, FAILURE_POLICIES, 'spec.failurePolicy')]
  if (!absent(spec.paramKind)) {
    const { apiVersion, kind } = objectOf(spec.paramKind)
    append(errors, [...needed(apiVersion, 'spec.paramKind.apiVersion'), ...needed(kind, 'spec.paramKind.kind')])
  }
  const path = 'spec.matchConstraints'
  if (absent(spec.matchConstraints)) return [...errors, required(path)]
  append(errors, validateMatch(spec.matchConstraints, path))
  if (listOf(objectOf(spec.matchConstraints).resourceRules).length === 0) errors.push(required(`${path}.resourceRules`))
  return errors
}

/** The errors in a ValidatingAdmissionPolicy. */
export function validateValidatingPolicy(object: ValidatingAdmissionPolicy): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = [...validatePolicy(spec)]
  const validations = objectsOf(spec.validations)
  if (validations.length === 0 && listOf(spec.auditAnnotations).length === 0)
    errors.push(required('spec.validations', NEITHER), required('spec.auditAnnotations', NEITHER))
  validations.forEach(({ expression }, index) =>
    append(
      errors,
      textOf(expression).trim() === ''
        ? [required(`spec.validations[${index}].expression`, 'expression is not specified')]
        : [],
    ),
  )
  objectsOf(spec.auditAnnotations).forEach(({ key, valueExpression }, index) => {
    const path = `spec.auditAnnotations[${index}]`
    append(errors, needed(key, `${path}.key`))
    if (textOf(valueExpression).trim() === '')
      errors.push(required(`${path}.valueExpression`, 'valueExpression is not specified'))
  })
  return errors
}

/** The errors in a MutatingAdmissionPolicy. */
export function validateMutatingPolicy(object: MutatingAdmissionPolicy): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = [...validatePolicy(spec)]
  const mutations = objectsOf(spec.mutations)
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  mutations.forEach((mutation, index) => {
    const path = `spec.mutations[${index}]`
    append(errors, oneOf(mutation.patchType, PATCH_TYPES, `${path}.patchType`))
    const field = mutation.patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration'
    if (PATCH_TYPES.includes(textOf(mutation.patchType)) && absent(mutation[field]))
      errors.push(required(`${path}.${field}`, `must be specified when patchType is ${textOf(mutation.patchType)}`))
  })
  return [...errors, ...oneOf(spec.reinvocationPolicy, REINVOCATIONS, 'spec.reinvocationPolicy')]
}

/** The errors in a binding of either sort. */
export function validatePolicyBinding(
  object: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = [...needed(spec.policyName, 'spec.policyName')]
  if (!absent(spec.paramRef)) {
    const { name, selector, parameterNotFoundAction } = objectOf(spec.paramRef)
    const path = 'spec.paramRef'
    if (textOf(name) === '' && absent(selector))
      errors.push(required(path, 'one of name or selector must be specified'))
    append(errors, oneOf(parameterNotFoundAction, ['Allow', 'Deny'], `${path}.parameterNotFoundAction`))
  }
  if (!absent(spec.matchResources)) append(errors, validateMatch(spec.matchResources, 'spec.matchResources'))
  return errors
}

/** The errors in the binding of a ValidatingAdmissionPolicy, which says too what a failure leads to. */
export function validateValidatingBinding(object: ValidatingAdmissionPolicyBinding): readonly FieldError[] {
  const path = 'spec.validationActions'
  const actions = textsOf(specOf(object).validationActions)
  const errors: FieldError[] = [...validatePolicyBinding(object)]
  if (actions.length === 0) errors.push(required(path))
  const seen = new Set<string>()
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${path}[${index}]`, action, ACTIONS))
    if (seen.has(action))
      errors.push({ code: 'FieldValueDuplicate', path: `${path}[${index}]`, value: action, detail: '' })
    seen.add(action)
  })
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
    errors.push(invalid(path, actions, detail))
  }
  return errors
}
