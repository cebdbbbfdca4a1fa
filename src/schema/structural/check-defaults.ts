import { absent } from '../../machinery/read.ts'
import { append, type FieldError, invalid } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { checkValue } from './value/check.ts'
import { checkEmbedded } from './value/check-embedded.ts'
import { MOST_KEPT } from './defaults/allowance.ts'
import { Findings } from './value/findings.ts'
import { Matching } from './value/pattern.ts'
import { prune } from './defaults/prune-unknown.ts'
import { evaluateDefaultRules, type RuleEvaluator } from './value/rules.ts'

import type { StructuralSchema } from './value/structural-schema.ts'

/**
 * The errors in the defaults of a schema: each must be valid by its own schema, its rules included where there is an
 * evaluator, and pruning must leave it alone.
 */
export function checkDefaults(schema: StructuralSchema, path: string, evaluate?: RuleEvaluator): readonly FieldError[] {
  if (!schema.holds.defaults) return []
  return check(schema, path, { isInMeta: false, isRoot: true, matching: new Matching(), evaluate })
}

const TOO_LARGE = `the defaults of the schema would add more than ${MOST_KEPT} bytes to one another`

interface Place {
  readonly isInMeta: boolean
  readonly isRoot: boolean
  /** Shared by all defaults, as they are all checked at once. */
  readonly matching: Matching
  /** Shared too: all defaults of a schema have one allowance. */
  readonly evaluate: RuleEvaluator | undefined
}

function check(schema: StructuralSchema, path: string, place: Place): readonly FieldError[] {
  const { isInMeta, isRoot } = place
  const { items, properties, source, embeddedResource } = schema
  const errors: FieldError[] = []
  // A default at the root would be a whole resource.
  const whole = isRoot
    ? { ...schema, embeddedResource: true, holds: { ...schema.holds, embeddedResources: true } }
    : schema
  if (schema.defaultOverflows) errors.push(invalid(`${path}.default`, '', TOO_LARGE))
  else if (!absent(source.default)) append(errors, checkDefault(whole, source['default'], `${path}.default`, place))
  if (items !== undefined) append(errors, check(items, `${path}.items`, { ...place, isRoot: false }))
  for (const [name, child] of properties) {
    const isMeta = embeddedResource && ['metadata', 'apiVersion', 'kind'].includes(name)
    const below = { ...place, isInMeta: isMeta || (isInMeta && !child.embeddedResource), isRoot: false }
    append(errors, check(child, `${path}.properties[${name}]`, below))
  }
  return errors
}

function checkDefault(
  schema: StructuralSchema,
  value: unknown,
  path: string,
  { isInMeta, matching, evaluate }: Place,
): readonly FieldError[] {
  const unpruned =
    isInMeta || jsonEqual(prune(schema, value, { root: schema.embeddedResource }).object, value)
      ? []
      : [invalid(path, value, 'must not have unknown fields')]
  const embedded = checkEmbedded(schema, value, path)
  if (embedded.length > 0) return [...unpruned, ...embedded]
  const found = new Findings(path, matching)
  checkValue(schema, value, '', found, undefined)
  const errors = [...unpruned, ...found.distinct()]
  return found.isEmpty && evaluate !== undefined
    ? [...errors, ...evaluateDefaultRules(schema, value, path, evaluate)]
    : errors
}
