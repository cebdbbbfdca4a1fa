import { type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { isDNS1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { all, each, fill, nullAbsent, set, within, type Change } from '../rule/change.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { listOf, objectOf, objectsOf, textOf } from '../../machinery/read.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'

const GROUP = 'rbac.authorization.k8s.io'
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

/** A rule names verbs and either resources with their groups or paths; paths only cluster-wide (rbac `ValidatePolicyRule`). */
function validateRule(rule: JsonObject, namespaced: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (listOf(rule.verbs).length === 0) errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'))
  const paths = listOf(rule.nonResourceURLs)
  if (paths.length > 0) {
    if (namespaced)
      errors.push(invalid(`${path}.nonResourceURLs`, paths, 'namespaced rules cannot apply to non-resource URLs'))
    if (
      listOf(rule.apiGroups).length > 0 ||
      listOf(rule.resources).length > 0 ||
      listOf(rule.resourceNames).length > 0
    ) {
      errors.push(
        invalid(`${path}.nonResourceURLs`, paths, 'rules cannot apply to both regular resources and non-resource URLs'),
      )
    }
    return errors
  }
  if (listOf(rule.apiGroups).length === 0) {
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (listOf(rule.resources).length === 0) {
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
  }
  return errors
}

const validateRules =
  (namespaced: boolean) =>
  (object: KubeObject): readonly FieldError[] =>
    objectsOf(object.rules).flatMap((rule, index) => validateRule(rule, namespaced, `rules[${index}]`))

/** An aggregated ClusterRole says which roles it gathers (rbac `ValidateClusterRole`). */
function validateAggregation(object: KubeObject): readonly FieldError[] {
  const { aggregationRule } = object
  if (aggregationRule === undefined || aggregationRule === null) return []
  const selectors = objectsOf(objectOf(aggregationRule).clusterRoleSelectors)
  const path = 'aggregationRule.clusterRoleSelectors'
  if (selectors.length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return selectors.flatMap((selector, index) => {
    const errors = validateLabelSelector(selector, `${path}[${index}]`)
    return errors.length === 0 ? [] : [...errors, invalid(`${path}[${index}]`, null, 'invalid label selector.')]
  })
}

function validateSubject(subject: JsonObject, namespaced: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const kind = textOf(subject.kind)
  const group = textOf(subject.apiGroup)
  const name = textOf(subject.name)
  if (name === '') errors.push(required(`${path}.name`))
  else if (kind === 'ServiceAccount')
    for (const text of isDNS1123Subdomain(name)) errors.push(invalid(`${path}.name`, name, text))
  if (!SUBJECT_KINDS.includes(kind)) return [...errors, notListed(`${path}.kind`, kind, SUBJECT_KINDS)]
  const wanted = kind === 'ServiceAccount' ? '' : GROUP
  if (group !== wanted) errors.push(notSupported(`${path}.apiGroup`, group, [wanted]))
  if (kind === 'ServiceAccount' && !namespaced && textOf(subject.namespace) === '')
    errors.push(required(`${path}.namespace`))
  return errors
}

/** `NotSupported` with the values in the order that upstream lists them. */
const notListed = (path: string, value: string, supported: readonly string[]): FieldError => ({
  ...notSupported(path, value, []),
  detail: `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
})

const validateBinding =
  (namespaced: boolean) =>
  (object: KubeObject): readonly FieldError[] => {
    const role = objectOf(object.roleRef)
    const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
    const errors: FieldError[] = []
    if (textOf(role.apiGroup) !== GROUP) errors.push(notSupported('roleRef.apiGroup', textOf(role.apiGroup), [GROUP]))
    if (!kinds.includes(textOf(role.kind))) errors.push(notListed('roleRef.kind', textOf(role.kind), kinds))
    const name = textOf(role.name)
    if (name === '') errors.push(required('roleRef.name'))
    else for (const text of pathSegmentName(name, false)) errors.push(invalid('roleRef.name', name, text))
    const subjects = objectsOf(object.subjects)
    return [
      ...errors,
      ...subjects.flatMap((subject, index) => validateSubject(subject, namespaced, `subjects[${index}]`)),
    ]
  }

const subjectGroup: Change = (subject) =>
  textOf(subject.apiGroup) === '' && (subject.kind === 'User' || subject.kind === 'Group')
    ? set(subject, 'apiGroup', GROUP)
    : subject

const role = (namespaced: boolean): Strategy => {
  const validate = namespaced
    ? validateRules(true)
    : (object: KubeObject) => [...validateRules(false)(object), ...validateAggregation(object)]
  return {
    nameRule: 'pathSegment',
    allowCreateOnUpdate: true,
    defaults: nullAbsent('rules'),
    validate,
    // Upstream checks an update as a whole twice, and reports each error twice.
    validateUpdate: (object) => [...validate(object), ...validate(object)],
  }
}

const binding = (namespaced: boolean): Strategy => {
  const validate = validateBinding(namespaced)
  return {
    nameRule: 'pathSegment',
    allowCreateOnUpdate: true,
    defaults: all(within('roleRef', fill({ apiGroup: GROUP })), each('subjects', subjectGroup)),
    validate,
    validateUpdate: (object, old) => [
      ...validate(object),
      ...validate(object),
      ...(semanticallyEqual(object.roleRef, old.roleRef)
        ? []
        : [invalid('roleRef', object.roleRef, 'cannot change roleRef')]),
    ],
  }
}

export const rbacStrategies: Strategies = {
  'roles.rbac.authorization.k8s.io': role(true),
  'clusterroles.rbac.authorization.k8s.io': role(false),
  'rolebindings.rbac.authorization.k8s.io': binding(true),
  'clusterrolebindings.rbac.authorization.k8s.io': binding(false),
}
