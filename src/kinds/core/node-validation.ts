import type { Node, Taint } from '../../builtin/core-v1.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import { isIP } from '../../machinery/ip-address.ts'
import { isQualifiedName, isValidLabelValue } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { amountOf } from '../rule/quantity-field.ts'
import { validateCIDR } from '../rule/ip.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { repetitions } from '../rule/repetition.ts'
import { validateAmount } from './container/resource-requirements.ts'
import { obeys } from '../rule/value.ts'

const EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule']

/** The errors in a node's taints, which upstream looks for in its metadata. */
function validateTaints(node: Node): readonly FieldError[] {
  const seen = new Set<string>()
  return objectsOf(specOf(node).taints).flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`
    const [key, value, effect] = [textOf(taint.key), textOf(taint.value), textOf(taint.effect)]
    const errors: FieldError[] = [...obeys(key, isQualifiedName, `${path}.key`)]
    const problems = isValidLabelValue(value)
    if (problems.length > 0) errors.push(invalid(`${path}.value`, value, problems.join(';')))
    if (effect === '') errors.push(required(`${path}.effect`))
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS))
    if (seen.has(`${effect}/${key}`))
      errors.push({ ...duplicate(path, held(taint)), detail: 'taints must be unique by key and effect pair' })
    seen.add(`${effect}/${key}`)
    return errors
  })
}

/** A taint as the server holds it, whose fields have no names in JSON. */
const held = (taint: Taint): JsonObject => ({
  Key: textOf(taint.key),
  Value: textOf(taint.value),
  Effect: textOf(taint.effect),
  TimeAdded: taint.timeAdded ?? null,
})

const validateResources = (node: Node): readonly FieldError[] =>
  (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(objectOf(statusOf(node)[list])).flatMap(([name, text]) => {
      const amount = amountOf(text)
      return amount === undefined ? [] : validateAmount(name, amount, `status.${list}.${name}`)
    }),
  )

/** The errors in a new node (core `ValidateNode`). */
export function validateNode(node: Node): readonly FieldError[] {
  const ranges = textsOf(specOf(node).podCIDRs)
  const path = 'spec.podCIDRs'
  const errors: FieldError[] = [...validateTaints(node), ...validateResources(node)]
  ranges.forEach((range, index) => append(errors, validateCIDR(range, `${path}[${index}]`)))
  const families = new Set(ranges.map((range) => isIP(range.split('/')[0] ?? '')))
  if (ranges.length > 1 && (families.size < 2 || ranges.length > 2))
    errors.push(invalid(path, ranges, 'may specify no more than one CIDR for each IP family'))
  for (const index of repetitions(ranges)) errors.push(duplicate(`${path}[${index}]`, ranges[index]))
  return errors
}

/** Validates that an update keeps the immutable fields of a node (core `ValidateNodeUpdate`). */
export function validateNodeUpdate(node: Node, old: Node): readonly FieldError[] {
  const spec = specOf(node)
  const before = specOf(old)
  const errors: FieldError[] = [...validateResources(node)]
  const [ranges, had] = [textsOf(spec.podCIDRs), textsOf(before.podCIDRs)]
  if (had.length > 0 && (had.length !== ranges.length || had.some((range, index) => range !== ranges[index])))
    errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'))
  const provider = textOf(before.providerID)
  if (provider !== '' && provider !== textOf(spec.providerID))
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  append(errors, validateTaints(node))
  if (textOf(spec.externalID) !== textOf(before.externalID))
    errors.push(forbidden('spec.externalID', 'may not be updated'))
  return errors
}
