import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '../../builtin/apiextensions-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { approvalOf } from '../../kinds/apiextensions/crd-approval.ts'
import { isEstablished } from '../../kinds/apiextensions/crd-validation.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'

/** Names that the CRDs of a group have taken. */
interface Taken {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Are these the conditions of a CRD whose objects are served? */
export function isServed(status: CustomResourceDefinitionStatus): boolean {
  return objectsOf(status.conditions).some(
    ({ type, status: value }) => (type === 'NamesAccepted' || type === 'Established') && value === 'True',
  )
}

/**
 * Returns the status that a CRD should have. Names that another CRD of its group already has are not accepted. Nothing
 * of the CRD is served until all its first names are accepted (upstream's naming, establishing and approval
 * controllers).
 * @param others the accepted names of the other CRDs of the group
 */
export function crdStatus(crd: CustomResourceDefinition, others: readonly JsonObject[], now: string): JsonObject {
  const before = statusOf(crd)
  const { names, conflict } = acceptedNames(crd, taken([objectOf(before.acceptedNames), ...others]))
  const approval = approvalCondition(crd)
  const wanted: readonly Condition[] = [
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict },
    ...(isEstablished(crd) ? [] : [establishedCondition(conflict === undefined)]),
    ...(approval === undefined ? [] : [approval]),
  ]
  const conditions = wanted.reduce(
    (list, condition) => withApiCondition(list, condition, now),
    objectsOf(before.conditions),
  )
  return { ...before, conditions, acceptedNames: names }
}

const establishedCondition = (accepted: boolean): Condition =>
  accepted
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }

function approvalCondition(crd: CustomResourceDefinition): Condition | undefined {
  const approval = approvalOf(crd)
  if (approval === undefined) return undefined
  const { state, reason: message } = approval
  const type = 'KubernetesAPIApprovalPolicyConformant'
  if (state === 'approved') return { type, status: 'True', reason: 'ApprovedAnnotation', message }
  const reasons = { bypassed: 'UnapprovedAnnotation', missing: 'MissingAnnotation', invalid: 'InvalidAnnotation' }
  return { type, status: 'False', reason: reasons[state], message }
}

/** Adds a condition, or replaces that of its type; its time is that of the last change of its status. */
export function withApiCondition(
  conditions: readonly JsonObject[],
  { type, status, reason, message }: Condition,
  now: string,
): readonly JsonObject[] {
  const old = conditions.find((one) => one.type === type)
  const lastTransitionTime = old !== undefined && old.status === status ? (old.lastTransitionTime ?? now) : now
  const made = { type, status, lastTransitionTime, reason, message }
  return old === undefined ? [...conditions, made] : conditions.map((one) => (one === old ? made : one))
}

function taken(accepted: readonly JsonObject[]): Taken {
  const all = (...keys: readonly string[]): readonly string[] =>
    accepted.flatMap((names) => keys.map((key) => textOf(names[key])))
  return {
    resources: new Set([...all('plural', 'singular'), ...accepted.flatMap(({ shortNames }) => textsOf(shortNames))]),
    kinds: new Set(all('kind', 'listKind')),
  }
}

interface Accepted {
  readonly names: JsonObject
  readonly conflict: { readonly reason: string; readonly message: string } | undefined
}

/** The names with each as it was where the wanted one is taken; of several conflicts the last is reported. */
function acceptedNames(crd: CustomResourceDefinition, { resources, kinds }: Taken): Accepted {
  const wanted = objectOf(specOf(crd).names)
  const current = objectOf(statusOf(crd).acceptedNames)
  const names: Record<string, unknown> = { plural: '', kind: '', ...current }
  let conflict: Accepted['conflict']
  const single = (
    key: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = textOf(wanted[key])
    if (name === textOf(current[key]) || !used.has(name)) names[key] = name
    else conflict = { reason, message: inUse(name) }
  }
  single('plural', resources, 'PluralConflict')
  single('singular', resources, 'SingularConflict')
  const short = textsOf(wanted.shortNames)
  const refused = short.filter((name) => !textsOf(current.shortNames).includes(name) && resources.has(name))
  if (refused.length > 0) conflict = { reason: 'ShortNamesConflict', message: together(refused.map(inUse)) }
  else names['shortNames'] = short
  single('kind', kinds, 'KindConflict')
  single('listKind', kinds, 'ListKindConflict')
  names['categories'] = textsOf(wanted.categories)
  const order = ['plural', 'singular', 'shortNames', 'kind', 'listKind', 'categories']
  const said = order.filter((key) => key === 'plural' || key === 'kind' || !jsonEqual(names[key] ?? [], []))
  return { names: Object.fromEntries(said.map((key) => [key, names[key]])), conflict }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`

/** Several errors as Go's aggregate prints them: each once. */
function together(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
