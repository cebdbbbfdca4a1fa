import { Run } from '../../../../cel/types/run-budget.ts'
import { validateMatchConditions } from '../../../../kinds/admissionregistration/match-condition-validation.ts'
import { validateWebhookRule } from '../../../../kinds/admissionregistration/webhook-rule-validation.ts'
import { type FieldError, forbidden, required, typeInvalid } from '../../../../machinery/field-error.ts'
import { isObject, type JsonObject } from '../../../../machinery/object.ts'
import { absent, objectsOf, textOf, textsOf, valueAt } from '../../../../machinery/read.ts'
import { type LabelSelector, validateLabelSelector } from '../../../../machinery/selector/label.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import type { HookCondition } from '../../../../operator/webhook/configuration.ts'

/** Requests that a configured rule names, in the words of a webhook's rules. */
export interface ConfiguredRule {
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  readonly operations: readonly string[]
  readonly scope: string
}

/** The settings of an administrator for the webhook that decides on user objects, as the Helm values of Capsule have it. */
export interface ConfiguredRules {
  /** Without it quotas count and refuse nothing. */
  readonly enabled: boolean
  /** Undefined: the rules that are derived from the quotas. */
  readonly rules: readonly ConfiguredRule[] | undefined
  /** Only objects in namespaces that it selects; undefined: in all. */
  readonly namespaceSelector: LabelSelector | undefined
  /** Only requests for which all of these hold. */
  readonly matchConditions: readonly HookCondition[]
}

/** The configuration, or everything that is wrong with it. */
export type ConfiguredRulesResult =
  | (ConfiguredRules & { readonly errors?: undefined })
  | { readonly errors: readonly FieldError[] }

/** Where the configuration stands in Helm values. */
const PLACE = ['webhooks', 'hooks', 'calculations'] as const
const AT = PLACE.join('.')
const FIELDS = ['enabled', 'namespaceSelector', 'rules', 'matchConditions']
const SELECTOR_FIELDS = ['matchLabels', 'matchExpressions']
const REQUIREMENT_FIELDS = ['key', 'operator', 'values']
const RULE_FIELDS = ['apiGroups', 'apiVersions', 'resources', 'operations', 'scope']
const CONDITION_FIELDS = ['name', 'expression']
/** The work that compiling all conditions may take. */
const COMPILING_WORK = 1_000_000

/** Reads `webhooks.hooks.calculations` of decoded Helm values; all other values are ignored. */
export function readConfiguredRules(values: unknown): ConfiguredRulesResult {
  let place: unknown = values
  for (const step of PLACE) place = isObject(place) ? place[step] : undefined
  if (place === undefined) return { errors: [required(AT)] }
  if (!isObject(place)) return { errors: [typeInvalid(AT, place, 'must be an object')] }
  const { enabled = true, namespaceSelector, rules, matchConditions } = place
  const selector = absent(namespaceSelector) ? undefined : (namespaceSelector as LabelSelector)
  const read = absent(rules) ? undefined : objectsOf(rules).map(withVersions)
  const conditions = objectsOf(matchConditions)
  const errors = [
    ...unknownFields(place, FIELDS, AT),
    ...unknownFields(namespaceSelector, SELECTOR_FIELDS, `${AT}.namespaceSelector`),
    ...unknownFieldsOfEach(
      valueAt(namespaceSelector, 'matchExpressions'),
      REQUIREMENT_FIELDS,
      `${AT}.namespaceSelector.matchExpressions`,
    ),
    ...unknownFieldsOfEach(rules, RULE_FIELDS, `${AT}.rules`),
    ...unknownFieldsOfEach(matchConditions, CONDITION_FIELDS, `${AT}.matchConditions`),
    ...(typeof enabled === 'boolean' ? [] : [typeInvalid(`${AT}.enabled`, enabled, 'must be true or false')]),
    ...typeErrors(selector, 'namespaceSelector', isObject, 'an object'),
    ...typeErrors(rules, 'rules', isListOfObjects, 'a list of objects'),
    ...typeErrors(matchConditions, 'matchConditions', isListOfObjects, 'a list of objects'),
  ]
  if (errors.length > 0) return { errors }
  const problems = [
    ...validateLabelSelector(selector, `${AT}.namespaceSelector`),
    ...(read ?? []).flatMap((rule, index) => validateWebhookRule(rule, `${AT}.rules[${index}]`)),
    ...validateMatchConditions(conditions, `${AT}.matchConditions`, new Run(COMPILING_WORK)),
  ]
  if (problems.length > 0) return { errors: problems }
  return {
    enabled: enabled === true,
    namespaceSelector: selector,
    rules: read?.map(ruleOf),
    matchConditions: conditions.map(({ name, expression }) => ({
      name: textOf(name),
      expression: textOf(expression).trim(),
    })),
  }
}

/** An empty version stands for any, as in examples of Capsule; API servers know no empty one. */
function withVersions(rule: JsonObject): JsonObject {
  return { ...rule, apiVersions: textsOf(rule['apiVersions']).map((version) => (version === '' ? '*' : version)) }
}

function ruleOf({ apiGroups, apiVersions, resources, operations, scope }: JsonObject): ConfiguredRule {
  return {
    groups: textsOf(apiGroups),
    versions: textsOf(apiVersions),
    resources: textsOf(resources),
    operations: textsOf(operations),
    scope: absent(scope) ? '*' : textOf(scope),
  }
}

function typeErrors(
  value: unknown,
  field: string,
  isRight: (value: unknown) => boolean,
  what: string,
): readonly FieldError[] {
  return absent(value) || isRight(value) ? [] : [typeInvalid(`${AT}.${field}`, value, `must be ${what}`)]
}

/** A field that is misspelled would be ignored, and more would be asked about than was meant. */
function unknownFields(value: unknown, known: readonly string[], at: string): readonly FieldError[] {
  const fields = isObject(value) ? Object.keys(value) : []
  return fields.filter((field) => !known.includes(field)).map((field) => forbidden(`${at}.${field}`, 'unknown field'))
}

function unknownFieldsOfEach(list: unknown, known: readonly string[], at: string): readonly FieldError[] {
  return Array.isArray(list) ? list.flatMap((item, index) => unknownFields(item, known, `${at}[${index}]`)) : []
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

type Named = Pick<ServerResource, 'group' | 'version' | 'resource' | 'namespaced'>

/** Stands for every version, group or resource. */
const ANY = '*'

/** Do the rules name both creates and updates of a resource, in this version? `*` asks for all versions. */
export function coversWrites(configured: ConfiguredRules, resource: Named): boolean {
  return coveredVersions(configured, resource).includes(resource.version)
}

/**
 * The versions of a resource in which the rules name both creates and updates: its own version or none. Where that is `*`, for all
 * versions, rules may name some of them only.
 */
export function coveredVersions({ rules }: ConfiguredRules, resource: Named): readonly string[] {
  const { version } = resource
  if (rules === undefined) return [version]
  const naming = rules.filter((rule) => namesResource(rule, resource))
  const isCovered = (one: string): boolean =>
    ['CREATE', 'UPDATE'].every((operation) =>
      naming.some(({ operations, versions }) => has(operations, operation) && has(versions, one)),
    )
  if (version !== ANY || isCovered(ANY)) return isCovered(version) ? [version] : []
  return [...new Set(naming.flatMap(({ versions }) => versions))].filter((one) => one !== ANY && isCovered(one))
}

/** As API servers match rules: `pods/*` takes pods, too. */
function namesResource({ groups, resources, scope }: ConfiguredRule, { group, resource, namespaced }: Named): boolean {
  return (
    has(groups, group) &&
    [ANY, `${ANY}/${ANY}`, resource, `${resource}/${ANY}`].some((one) => resources.includes(one)) &&
    (scope === ANY || scope === (namespaced ? 'Namespaced' : 'Cluster'))
  )
}

const has = (names: readonly string[], name: string): boolean => names.includes(ANY) || names.includes(name)
