import type { JSONSchemaProps } from '../../../builtin/apiextensions-v1.ts'
import { absent, textOf } from '../../../machinery/read.ts'
import { type FieldError, forbidden, invalid, required, sentence } from '../../../machinery/field-error.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { checkCompleteness } from './check-completeness.ts'
import { compilePattern } from '../value/pattern.ts'
import { membersOf, schemaOf, schemasOf } from './document.ts'

type Level = 'root' | 'items' | 'field'

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }]
const VALUE_MEMBERS = [
  'format',
  'pattern',
  'enum',
  'required',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'uniqueItems',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
] as const
const OTHER_MEMBERS = [
  'title',
  'description',
  'nullable',
  'externalDocs',
  'items',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const

/** Returns the reasons why a schema is not structural (apiextensions `ValidateStructural`), sorted by the sentences. */
export function checkStructure(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  checkNode(schema, 'root', path, errors)
  checkCompleteness(schema, path, errors)
  return errors.toSorted((a, b) => (sentence(a) < sentence(b) ? -1 : 1))
}

function checkNode(schema: JSONSchemaProps, level: Level, path: string, errors: FieldError[]): void {
  const type = textOf(schema.type)
  const items = schemaOf(schema, 'items')
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined) checkNode(items, 'items', `${path}.items`, errors)
  const properties = membersOf(schema, 'properties')
  for (const [name, child] of properties) checkNode(child, 'field', `${path}.properties[${name}]`, errors)
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  if (!absent(schema.additionalProperties)) {
    const at = `${path}.additionalProperties`
    if (level === 'root') errors.push(forbidden(at, 'must not be used at the root'))
    if (isEmbedded) errors.push(forbidden(at, 'must not be used if x-kubernetes-embedded-resource is set'))
    const additional = schemaOf(schema, 'additionalProperties')
    if (additional !== undefined) checkNode(additional, 'field', at, errors)
  }
  checkExtensions(schema, path, errors)
  const skipAnyOf = isIntOrString(schema)
  const skipInAllOf = isIntOrString(schemasOf(schema, 'allOf')[0] ?? {})
  checkValues(schema, skipAnyOf, skipInAllOf, path, errors)
  checkType(schema, type, level, path, errors)
  checkMetadata(schema, level, path, errors)
}

function checkType(schema: JSONSchemaProps, type: string, level: Level, path: string, errors: FieldError[]): void {
  const at = `${path}.type`
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail))
  } else if (
    type === '' &&
    schema['x-kubernetes-int-or-string'] !== true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  ) {
    const places = { root: 'at the root', items: 'for specified array items', field: 'for specified object fields' }
    errors.push(required(at, `must not be empty ${places[level]}`))
  }
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalid(at, type, 'must be object at the root'))
}

/** The schema may restrict an object's metadata in its names only: the rest is what it is for every kind. */
function checkMetadata(schema: JSONSchemaProps, level: Level, path: string, errors: FieldError[]): void {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const properties = new Map(membersOf(schema, 'properties'))
  const isResource = level === 'root' || isEmbedded
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const field = properties.get(name)
    if (field === undefined || textOf(field.type) === 'string') continue
    errors.push(invalid(`${path}.properties[${name}].type`, textOf(field.type), 'must be string'))
  }
  const metadata = properties.get('metadata')
  if (metadata !== undefined) {
    const at = `${path}.properties[metadata]`
    const type = textOf(metadata.type)
    if (isResource && type !== 'object') errors.push(invalid(`${at}.type`, type, 'must be object'))
    const isMore =
      membersOf(metadata, 'properties').some(([name]) => name !== 'name' && name !== 'generateName') ||
      [...VALUE_MEMBERS, ...OTHER_MEMBERS].some((name) => isSet(metadata[name]))
    if (level === 'root' && isMore) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
      errors.push(forbidden(at, detail))
    }
  }
  if (isEmbedded && schema['x-kubernetes-preserve-unknown-fields'] !== true && properties.size === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(`${path}.properties`, detail))
  }
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return (value ?? null) !== null && value !== '' && value !== false
}

function checkExtensions(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name] !== true) continue
    errors.push(invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'))
  }
}

function isIntOrString(schema: JSONSchemaProps): boolean {
  return jsonEqual(schema['anyOf'], INT_OR_STRING)
}

function checkValues(
  schema: JSONSchemaProps,
  skipAnyOf: boolean,
  skipInAllOf: boolean,
  path: string,
  errors: FieldError[],
): void {
  for (const name of ['anyOf', 'allOf', 'oneOf'] as const) {
    if (name === 'anyOf' && skipAnyOf) continue
    schemasOf(schema, name).forEach((each, at) => {
      checkNested(each, name === 'allOf' && skipInAllOf && at === 0, `${path}.${name}[${at}]`, errors)
    })
  }
  const not = schemaOf(schema, 'not')
  if (not !== undefined) checkNested(not, false, `${path}.not`, errors)
  const source = textOf(schema.pattern)
  const pattern = source === '' ? undefined : compilePattern(source)
  if (pattern !== undefined && 'problem' in pattern) {
    errors.push(invalid(`${path}.pattern`, source, `must be a valid regular expression, but isn't: ${pattern.problem}`))
  }
}

const FORBIDDEN: readonly (readonly [name: keyof JSONSchemaProps, must: string])[] = [
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

/** A schema below a logical junctor may check values, but not declare fields. */
function checkNested(schema: JSONSchemaProps, skipAnyOf: boolean, path: string, errors: FieldError[]): void {
  checkValues(schema, skipAnyOf, false, path, errors)
  const items = schemaOf(schema, 'items')
  if (items !== undefined) checkNested(items, false, `${path}.items`, errors)
  for (const [name, child] of membersOf(schema, 'properties')) {
    checkNested(child, false, `${path}.properties[${name}]`, errors)
    if (name === 'metadata') {
      errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
    }
  }
  if (textOf(schema.type) !== '') errors.push(forbidden(`${path}.type`, 'must be empty to be structural'))
  if (!absent(schema.additionalProperties)) {
    errors.push(forbidden(`${path}.additionalProperties`, 'must be undefined to be structural'))
  }
  for (const [name, must] of FORBIDDEN) {
    const isThere = must === 'undefined' ? !absent(schema[name]) : isSet(schema[name])
    if (isThere) errors.push(forbidden(`${path}.${name}`, `must be ${must} to be structural`))
  }
}
