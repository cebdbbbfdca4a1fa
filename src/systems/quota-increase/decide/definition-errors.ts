import { DEFINITION_LABEL, INCREASES_MANAGED_BY_LABEL, MODES } from '../api/increase-names.ts'
import { DEFINITION_NAME_PATTERN, MOST_DEFINITION_NAME, type QuotaDefinition } from '../api/quota-definition.ts'
import { isPoolQuotaName } from '../../resource-pool/api/quota-name.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { validateQuotaSize } from '../../../kinds/resource-quota/quota-size.ts'
import { validateResourceQuotaSpec } from '../../../kinds/resource-quota/validate.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { validateAnnotations, validateLabels } from '../../../machinery/label-map.ts'
import { isValidLabelValue } from '../../../machinery/names.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { type LabelSelector, validateLabelSelector } from '../../../machinery/selector/label.ts'

const NAME = new RegExp(DEFINITION_NAME_PATTERN)
const BAD_NAME =
  "Name must be a valid DNS subdomain name (only lowercase letters, digits, '-', and '.', max length 253 characters)"
const NAME_OF_POOLS = 'Name must not be one that the ResourceQuota of a resource pool may have'

/**
 * Returns the errors of definitions, given as decoded JSON whose fields have the types of the schema. The first are the
 * quota operator's own errors, in its words and order. The others would fail there later: names that no label holds,
 * and quotas that no API server takes. `at`: the path of the list.
 */
export function definitionErrors(definitions: readonly unknown[], at: string): readonly FieldError[] {
  const seen = new Set<string>()
  return definitions.flatMap((definition, index) => {
    const path = `${at}[${index}]`
    if (!isObject(definition)) return [required(path, 'QuotaDefinition must not be empty')]
    const { name = '' } = definition as { readonly name?: string }
    const errors = [
      ...nameErrors(name, seen, `${path}.name`),
      ...templateErrors(definition['template'], `${path}.template`),
      ...modeErrors(definition['mode'], `${path}.mode`),
      ...validateLabelSelector(definition['selector'] as LabelSelector | undefined, `${path}.selector`),
    ]
    seen.add(name)
    return errors
  })
}

function nameErrors(name: string, seen: ReadonlySet<string>, path: string): readonly FieldError[] {
  if (name === '') return [required(path, 'Name must not be empty')]
  if (name.length > MOST_DEFINITION_NAME || !NAME.test(name)) return [invalid(path, name, BAD_NAME)]
  // Pools and definitions would take the quota from each other without end.
  if (isPoolQuotaName(name)) return [invalid(path, name, NAME_OF_POOLS)]
  // Namespaces and quotas carry the name as a label.
  const labelled = isValidLabelValue(name).map((detail) =>
    invalid(path, name, `Name is the value of a label: ${detail}`),
  )
  return [...labelled, ...(seen.has(name) ? [duplicate(path, name)] : [])]
}

function modeErrors(mode: unknown, path: string): readonly FieldError[] {
  if (mode === undefined || mode === '') return [required(path, 'Mode must not be empty')]
  return MODES.some((known) => known === mode) ? [] : [notSupported(path, mode, MODES)]
}

function templateErrors(template: unknown, path: string): readonly FieldError[] {
  if (!isObject(template)) return [required(path, 'ResourceQuotaTemplate must not be empty')]
  const { labels, annotations, spec } = template as JsonObject & Partial<QuotaDefinition['template']>
  if (spec === undefined) return [required(`${path}.spec`)]
  const quota = { spec } as unknown as ResourceQuota
  const below = [...validateResourceQuotaSpec(quota.spec), ...validateQuotaSize(quota)]
  return [
    ...validateLabels(withoutOwn(labels), `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...below.map((error) => ({ ...error, path: `${path}.${error.path}` })),
  ]
}

/** The operator's own labels replace whatever the template says of them. */
function withoutOwn(labels: QuotaDefinition['template']['labels']): QuotaDefinition['template']['labels'] {
  const { [INCREASES_MANAGED_BY_LABEL]: _, [DEFINITION_LABEL]: __, ...others } = labels ?? {}
  return others
}
