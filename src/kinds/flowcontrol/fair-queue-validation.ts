import type { FlowSchema, PriorityLevelConfiguration } from '../../builtin/flowcontrol-v1.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { absent, countOf, listOf, objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { needed } from '../rule/value.ts'

const TYPES = ['Exempt', 'Limited']
const LAST_PRECEDENCE = 10_000

/** The errors in a FlowSchema (flowcontrol `ValidateFlowSchemaSpec`). */
export function validateFlowSchema(object: FlowSchema): readonly FieldError[] {
  const spec = specOf(object)
  const precedence = countOf(spec.matchingPrecedence)
  const at = 'spec.matchingPrecedence'
  const errors: FieldError[] = []
  if (precedence <= 0) errors.push(invalid(at, precedence, 'must be a positive value'))
  if (precedence > LAST_PRECEDENCE) errors.push(invalid(at, precedence, `must not be greater than ${LAST_PRECEDENCE}`))
  append(
    errors,
    needed(
      objectOf(spec.priorityLevelConfiguration).name,
      'spec.priorityLevelConfiguration.name',
      'must reference a priority level',
    ),
  )
  objectsOf(spec.rules).forEach((rule, index) => {
    const path = `spec.rules[${index}]`
    if (listOf(rule.subjects).length === 0)
      errors.push(required(`${path}.subjects`, 'subjects must contain at least one value'))
    if (listOf(rule.resourceRules).length === 0 && listOf(rule.nonResourceRules).length === 0)
      errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  })
  return errors
}

/** The errors in a PriorityLevelConfiguration (flowcontrol `ValidatePriorityLevelConfigurationSpec`). */
export function validatePriorityLevel(object: PriorityLevelConfiguration): readonly FieldError[] {
  const { exempt, limited, type } = specOf(object)
  if (type === 'Exempt')
    return absent(limited) ? [] : [forbidden('spec.limited', 'must be nil if the type is not Limited')]
  if (type !== 'Limited') return [notSupported('spec.type', textOf(type), TYPES)]
  return [
    ...(absent(exempt) ? [] : [forbidden('spec.exempt', 'must be nil if the type is Limited')]),
    ...(absent(limited) ? [required('spec.limited', 'must not be empty when type is Limited')] : []),
  ]
}
