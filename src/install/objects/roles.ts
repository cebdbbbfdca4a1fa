import { jsonEqual } from '../../machinery/json-value.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { textOf, valueAt } from '../../machinery/read.ts'
import type { OperatorFeature } from '../rbac/operator-roles.ts'
import { rbacObjects } from '../rbac/objects.ts'
import { INSTALLED_NAME } from '../installed-names.ts'
import {
  type ChartCondition,
  hole,
  isEqual,
  isServed,
  isSet,
  NAMESPACE,
  not,
  type ObjectTemplate,
  type ChartTemplate,
  type TemplateObject,
} from '../template/template.ts'

const NOTHING = { claims: false, increases: false, customQuotas: false }
const FEATURES: Readonly<Record<OperatorFeature, ChartCondition>> = {
  'base-quotas': isSet('quotaServiceConfig'),
  'enforce-resourcequota': not(isEqual('enforceResourceQuota', 'off')),
  'metrics-auth': isSet('metrics.auth'),
  'refusal-events': isSet('refusalEvents'),
  // policy/v1 came with 1.21, as did the label with the name of each namespace.
  'exempt-labels': not(isServed('policy/v1')),
}

/** Stands for the namespace, which nobody knows before the installation; no name can be this. */
const SOMEWHERE = '<namespace>'
const rendered = (tenants: Partial<typeof NOTHING>, ...features: readonly OperatorFeature[]): readonly KubeObject[] =>
  rbacObjects({
    namespace: SOMEWHERE,
    serviceAccount: INSTALLED_NAME,
    tenantsMayCreate: { ...NOTHING, ...tenants },
    features,
  })

const ALWAYS = rendered({})
/** The objects that an option adds to those that are there in any case. */
const added = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects.filter((object) => !ALWAYS.some((one) => jsonEqual(one, object)))

const OPTIONS: readonly (readonly [ChartCondition | undefined, readonly KubeObject[]])[] = [
  [undefined, ALWAYS],
  ...(['claims', 'increases', 'customQuotas'] as const).map(
    (tenant) => [isSet(`tenantsMayCreate.${tenant}`), added(rendered({ [tenant]: true }))] as const,
  ),
  ...Object.entries(FEATURES).map(
    ([feature, condition]) => [condition, added(rendered({}, feature as OperatorFeature))] as const,
  ),
]

/** The roles of the operator and of people, each on the condition that it is needed. */
export const ROLES: readonly ObjectTemplate[] = OPTIONS.flatMap(([condition, objects]) =>
  objects.map((object) => ({
    file: `${object.kind.toLowerCase()}-${textOf(valueAt(object, 'metadata', 'name'))}`,
    ...(condition === undefined ? {} : { condition }),
    object: templateOf(object),
  })),
)

function templateOf(object: object): TemplateObject {
  return Object.fromEntries(Object.entries(object).map(([name, part]) => [name, partOf(part)]))
}

function partOf(part: unknown): ChartTemplate {
  if (part === SOMEWHERE) return hole(NAMESPACE)
  if (Array.isArray(part)) return part.map(partOf)
  if (isObject(part)) return templateOf(part)
  return typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean' ? part : ''
}
