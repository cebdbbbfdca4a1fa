import type { JsonObject } from '../../machinery/object.ts'
import type { ValidationRule as SentRule } from '../../builtin/apiextensions-v1.ts'
import type { JSONSchemaProps } from '../../builtin/apiextensions-v1.ts'
import { absent, listOf, numberOf, objectOf, textOf, textsOf } from '../../machinery/read.ts'
import type { ValidationRule } from '../../cel/validation-rule.ts'
import { isTree, jsonEqual } from '../../machinery/json-value.ts'
import { applyDefaultsWithin } from './defaults/apply.ts'
import { DefaultsAllowance, MOST_KEPT, TooManyDefaults } from './defaults/allowance.ts'
import { Enumeration } from './value/enumeration.ts'
import { formatTest, isKnownFormat } from './value/formats.ts'
import { compilePattern } from './value/pattern.ts'
import type { SchemaPattern } from './value/pattern.ts'
import { membersOf, schemaOf, schemasOf, validationsOf } from './crd-schema/document.ts'
import type { Holdings, Logic, StructuralSchema, ValueCheck } from './value/structural-schema.ts'
import type { NumberLimits } from './value/numbers.ts'

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }]

/**
 * Builds the compiled form of a schema that was found to be structural before, such as one of a stored CRD.
 * A pattern that does not compile matches nothing.
 */
export const readStructural = (schema: JsonObject): StructuralSchema =>
  readNode(schema, new DefaultsAllowance(MOST_KEPT))

/** `allowance`: what defaults may still get from those below them. */
function readNode(schema: JSONSchemaProps, allowance: DefaultsAllowance): StructuralSchema {
  const properties = new Map(membersOf(schema, 'properties').map(([name, child]) => [name, readNode(child, allowance)]))
  const itemSchema = schemaOf(schema, 'items')
  const items = itemSchema === undefined ? undefined : readNode(itemSchema, allowance)
  const additional = schema['additionalProperties']
  const additionalProperties = isTree(additional)
    ? readNode(objectOf(additional), allowance)
    : typeof additional === 'boolean'
      ? additional
      : undefined
  const listType = textOf(schema['x-kubernetes-list-type'])
  const mapType = textOf(schema['x-kubernetes-map-type'])
  const made: Made = {
    ...readOwn(schema),
    type: textOf(schema.type),
    properties,
    items,
    additionalProperties,
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    listType: listType === 'set' || listType === 'map' || listType === 'atomic' ? listType : undefined,
    listMapKeys: textsOf(schema['x-kubernetes-list-map-keys']),
    mapType: mapType === 'atomic' || mapType === 'granular' ? mapType : undefined,
    rules: validationsOf(schema).map(readRule),
    fieldDefaults: [...properties].flatMap(([name, child]) =>
      child.default === undefined ? [] : [[name, child.default, child.defaultSize] as const],
    ),
    source: schema,
  }
  const below = [...properties.values(), ...(items === undefined ? [] : [items])]
  if (typeof additionalProperties === 'object') below.push(additionalProperties)
  const holds = holdingsOf(made, below)
  const given = !absent(schema.default) ? schema['default'] : undefined
  const bare: StructuralSchema = { ...made, default: undefined, defaultSize: 0, defaultOverflows: false, holds }
  if (given === undefined) return bare
  return { ...bare, ...completedDefault(bare, given, allowance), holds: { ...holds, defaults: true } }
}

type Made = Omit<StructuralSchema, keyof CompletedDefault | 'holds'>
type CompletedDefault = Pick<StructuralSchema, 'default' | 'defaultSize' | 'defaultOverflows'>

/** A default with those below it. Defaults that were added before are shared, so their size is known without a look at them. */
function completedDefault(schema: StructuralSchema, given: unknown, allowance: DefaultsAllowance): CompletedDefault {
  const size = JSON.stringify(given).length
  const before = allowance.added
  try {
    const completed = applyDefaultsWithin(schema, given, allowance)
    return { default: completed, defaultSize: size + allowance.added - before, defaultOverflows: false }
  } catch (error) {
    if (!(error instanceof TooManyDefaults)) throw error
    return { default: given, defaultSize: size, defaultOverflows: true }
  }
}

function holdingsOf(node: Made, below: readonly StructuralSchema[]): Holdings {
  return {
    defaults: below.some((child) => child.holds.defaults),
    keyedLists: node.listType === 'set' || node.listType === 'map' || below.some((child) => child.holds.keyedLists),
    embeddedResources: node.embeddedResource || below.some((child) => child.holds.embeddedResources),
    rules: node.rules.length > 0 || below.some((child) => child.holds.rules),
  }
}

/** Reads what stands below `allOf` and its kin. */
function readCheck(schema: JSONSchemaProps): ValueCheck {
  const items = schemaOf(schema, 'items')
  const additional = schema['additionalProperties']
  return {
    ...readOwn(schema),
    properties: new Map(membersOf(schema, 'properties').map(([name, child]) => [name, readCheck(child)])),
    items: items === undefined ? undefined : readCheck(items),
    additionalProperties: isTree(additional)
      ? readCheck(objectOf(additional))
      : additional === false
        ? false
        : undefined,
  }
}

/** Reads what a schema says of the value itself, not of what is in it. */
function readOwn(schema: JSONSchemaProps): Own {
  const type = textOf(schema.type)
  const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : type === '' ? [] : [type]
  const spelled = textOf(schema.format)
  const format = spelled !== '' && isKnownFormat(spelled, types) ? spelled : ''
  const own = {
    types,
    nullable: schema.nullable === true,
    format,
    matchesFormat: format === '' || types[0] === 'integer' || types[0] === 'number' ? undefined : formatTest(format),
    numbers: readLimits(schema, types, format),
    maxLength: numberOf(schema.maxLength),
    minLength: numberOf(schema.minLength),
    pattern: readPattern(textOf(schema.pattern)),
    maxItems: numberOf(schema.maxItems),
    minItems: numberOf(schema.minItems),
    maxProperties: numberOf(schema.maxProperties),
    minProperties: numberOf(schema.minProperties),
    enum: readEnum(listOf(schema.enum)),
    required: textsOf(schema.required),
    logic: readLogic(schema),
  }
  return { ...own, onlyType: isPlain(own) && (types[0] === 'string' || types[0] === 'boolean') ? types[0] : '' }
}

type Own = Omit<ValueCheck, 'properties' | 'items' | 'additionalProperties'>

function isPlain({
  types,
  format,
  maxLength,
  minLength,
  pattern,
  enum: allowed,
  logic,
}: Omit<Own, 'onlyType'>): boolean {
  const hasLimit = maxLength !== undefined || minLength !== undefined || pattern !== undefined
  return types.length === 1 && format === '' && !hasLimit && allowed === undefined && logic === undefined
}

function readLogic(schema: JSONSchemaProps): Logic | undefined {
  const [allOf = [], anyOf = [], oneOf = []] = (['allOf', 'anyOf', 'oneOf'] as const).map((name) =>
    schemasOf(schema, name).map(readCheck),
  )
  const not = schemaOf(schema, 'not')
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined
  const isIntOrString =
    allOf.length + oneOf.length === 0 && not === undefined && jsonEqual(schema['anyOf'], INT_OR_STRING)
  return { allOf, anyOf, oneOf, not: not === undefined ? undefined : readCheck(not), isIntOrString }
}

function readLimits(schema: JSONSchemaProps, types: readonly string[], format: string): NumberLimits | undefined {
  const type = types.length === 1 && (types[0] === 'integer' || types[0] === 'number') ? types[0] : ''
  const limits = {
    type,
    format: type === '' ? '' : format,
    maximum: numberOf(schema.maximum),
    exclusiveMaximum: schema.exclusiveMaximum === true,
    minimum: numberOf(schema.minimum),
    exclusiveMinimum: schema.exclusiveMinimum === true,
    multipleOf: numberOf(schema.multipleOf),
  }
  const isLimited = type === 'integer' || limits.format === 'float' || limits.maximum !== undefined
  return isLimited || limits.minimum !== undefined || limits.multipleOf !== undefined ? limits : undefined
}

const readEnum = (values: readonly unknown[]): Enumeration | undefined =>
  values.length === 0 ? undefined : new Enumeration(values)

function readPattern(source: string): SchemaPattern | undefined {
  if (source === '') return undefined
  const pattern = compilePattern(source)
  if (!('problem' in pattern)) return pattern
  return { source: `${source}, but pattern is invalid: ${pattern.problem}`, states: 0, test: () => false }
}

function readRule(rule: SentRule): ValidationRule {
  const optional = rule.optionalOldSelf
  return {
    rule: textOf(rule.rule),
    message: textOf(rule.message),
    messageExpression: textOf(rule.messageExpression),
    reason: textOf(rule.reason),
    fieldPath: textOf(rule.fieldPath),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  }
}
