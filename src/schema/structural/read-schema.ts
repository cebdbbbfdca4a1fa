import type { ValidationRule } from '../../cel/validation-rule.ts'
import { isTree, jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { applyDefaultsWithin } from './defaults/apply-defaults.ts'
import { DefaultsBudget, MOST_KEPT, TooManyDefaults } from './defaults/defaults-budget.ts'
import { Enumeration } from './value/enumeration.ts'
import { formatTest, isKnownFormat } from './value/formats.ts'
import { compilePattern } from './value/pattern.ts'
import type { SchemaPattern } from './value/pattern.ts'
import * as document from './crd-schema/schema-document.ts'
import type { Holdings, Logic, StructuralSchema, ValueCheck } from './value/structural-schema.ts'
import type { NumberLimits } from './value/numbers.ts'

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }]

/**
 * Builds the compiled form of a schema that was found to be structural before, such as one of a stored CRD.
 * A pattern that does not compile matches nothing.
 */
export const readStructural = (schema: JsonObject): StructuralSchema => readNode(schema, new DefaultsBudget(MOST_KEPT))

/** `budget`: what defaults may still get from those below them. */
function readNode(schema: JsonObject, budget: DefaultsBudget): StructuralSchema {
  const properties = new Map(
    document.membersOf(schema, 'properties').map(([name, child]) => [name, readNode(child, budget)]),
  )
  const itemSchema = document.schemaOf(schema, 'items')
  const items = itemSchema === undefined ? undefined : readNode(itemSchema, budget)
  const additional = schema['additionalProperties']
  const additionalProperties = isTree(additional)
    ? readNode(additional, budget)
    : typeof additional === 'boolean'
      ? additional
      : undefined
  const listType = document.textOf(schema, 'x-kubernetes-list-type')
  const mapType = document.textOf(schema, 'x-kubernetes-map-type')
  const made: Made = {
    ...readOwn(schema),
    type: document.textOf(schema, 'type'),
    properties,
    items,
    additionalProperties,
    preserveUnknownFields: document.flagOf(schema, 'x-kubernetes-preserve-unknown-fields'),
    embeddedResource: document.flagOf(schema, 'x-kubernetes-embedded-resource'),
    intOrString: document.flagOf(schema, 'x-kubernetes-int-or-string'),
    listType: listType === 'set' || listType === 'map' || listType === 'atomic' ? listType : undefined,
    listMapKeys: document.textsOf(schema, 'x-kubernetes-list-map-keys'),
    mapType: mapType === 'atomic' || mapType === 'granular' ? mapType : undefined,
    rules: document.schemasOf(schema, 'x-kubernetes-validations').map(readRule),
    fieldDefaults: [...properties].flatMap(([name, child]) =>
      child.default === undefined ? [] : [[name, child.default, child.defaultSize] as const],
    ),
    source: schema,
  }
  const below = [...properties.values(), ...(items === undefined ? [] : [items])]
  if (typeof additionalProperties === 'object') below.push(additionalProperties)
  const holds = holdingsOf(made, below)
  const given = document.has(schema, 'default') ? schema['default'] : undefined
  const bare: StructuralSchema = { ...made, default: undefined, defaultSize: 0, defaultOverflows: false, holds }
  if (given === undefined) return bare
  return { ...bare, ...completedDefault(bare, given, budget), holds: { ...holds, defaults: true } }
}

type Made = Omit<StructuralSchema, keyof CompletedDefault | 'holds'>
type CompletedDefault = Pick<StructuralSchema, 'default' | 'defaultSize' | 'defaultOverflows'>

/** A default with those below it. Defaults that were added before are shared, so their size is known without a look at them. */
function completedDefault(schema: StructuralSchema, given: unknown, budget: DefaultsBudget): CompletedDefault {
  const size = JSON.stringify(given).length
  const before = budget.added
  try {
    const completed = applyDefaultsWithin(schema, given, budget)
    return { default: completed, defaultSize: size + budget.added - before, defaultOverflows: false }
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
function readCheck(schema: JsonObject): ValueCheck {
  const items = document.schemaOf(schema, 'items')
  const additional = schema['additionalProperties']
  return {
    ...readOwn(schema),
    properties: new Map(document.membersOf(schema, 'properties').map(([name, child]) => [name, readCheck(child)])),
    items: items === undefined ? undefined : readCheck(items),
    additionalProperties: isTree(additional) ? readCheck(additional) : additional === false ? false : undefined,
  }
}

/** Reads what a schema says of the value itself, not of what is in it. */
function readOwn(schema: JsonObject): Own {
  const type = document.textOf(schema, 'type')
  const types = document.flagOf(schema, 'x-kubernetes-int-or-string')
    ? ['integer', 'string']
    : type === ''
      ? []
      : [type]
  const spelled = document.textOf(schema, 'format')
  const format = spelled !== '' && isKnownFormat(spelled, types) ? spelled : ''
  const own = {
    types,
    nullable: document.flagOf(schema, 'nullable'),
    format,
    matchesFormat: format === '' || types[0] === 'integer' || types[0] === 'number' ? undefined : formatTest(format),
    numbers: readLimits(schema, types, format),
    maxLength: document.numberOf(schema, 'maxLength'),
    minLength: document.numberOf(schema, 'minLength'),
    pattern: readPattern(document.textOf(schema, 'pattern')),
    maxItems: document.numberOf(schema, 'maxItems'),
    minItems: document.numberOf(schema, 'minItems'),
    maxProperties: document.numberOf(schema, 'maxProperties'),
    minProperties: document.numberOf(schema, 'minProperties'),
    enum: readEnum(document.listOf(schema, 'enum')),
    required: document.textsOf(schema, 'required'),
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

function readLogic(schema: JsonObject): Logic | undefined {
  const [allOf = [], anyOf = [], oneOf = []] = ['allOf', 'anyOf', 'oneOf'].map((name) =>
    document.schemasOf(schema, name).map(readCheck),
  )
  const not = document.schemaOf(schema, 'not')
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined
  const isIntOrString =
    allOf.length + oneOf.length === 0 && not === undefined && jsonEqual(schema['anyOf'], INT_OR_STRING)
  return { allOf, anyOf, oneOf, not: not === undefined ? undefined : readCheck(not), isIntOrString }
}

function readLimits(schema: JsonObject, types: readonly string[], format: string): NumberLimits | undefined {
  const type = types.length === 1 && (types[0] === 'integer' || types[0] === 'number') ? types[0] : ''
  const limits = {
    type,
    format: type === '' ? '' : format,
    maximum: document.numberOf(schema, 'maximum'),
    exclusiveMaximum: document.flagOf(schema, 'exclusiveMaximum'),
    minimum: document.numberOf(schema, 'minimum'),
    exclusiveMinimum: document.flagOf(schema, 'exclusiveMinimum'),
    multipleOf: document.numberOf(schema, 'multipleOf'),
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

function readRule(rule: JsonObject): ValidationRule {
  const optional = rule['optionalOldSelf']
  return {
    rule: document.textOf(rule, 'rule'),
    message: document.textOf(rule, 'message'),
    messageExpression: document.textOf(rule, 'messageExpression'),
    reason: document.textOf(rule, 'reason'),
    fieldPath: document.textOf(rule, 'fieldPath'),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  }
}
