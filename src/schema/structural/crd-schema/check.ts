import type { JSONSchemaProps } from '../../../builtin/apiextensions-v1.ts'
import { absent, textOf } from '../../../machinery/read.ts'
import { type FieldError, forbidden, invalid, notSupported } from '../../../machinery/field-error.ts'
import { checkListType, checkMapType } from './check-list-type.ts'
import { checkRuleMembers } from './check-rule-members.ts'
import { membersOf, schemaOf, schemasOf } from './document.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])

interface Place {
  readonly isRoot: boolean
  /** Below `metadata`, `kind` or `apiVersion` of the object or of an embedded one. */
  readonly insideMeta: boolean
  /** Why there may be no default; `undefined` where there may. */
  readonly noDefault: string | undefined
}

/**
 * The errors in a CRD's schema besides its not being structural (apiextensions
 * `ValidateCustomResourceDefinitionOpenAPISchema`), as for a new CRD: on update upstream forgives what the old one
 * had too.
 */
export function checkCrdSchema(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  check(schema, path, { isRoot: true, insideMeta: false, noDefault: undefined }, errors)
  return errors
}

function check(schema: JSONSchemaProps, path: string, place: Place, errors: FieldError[]): void {
  checkKeywords(schema, path, place, errors)
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(forbidden(`${path}.uniqueItems`, detail))
  }
  const inside: Place = { ...place, isRoot: false }
  const properties = membersOf(schema, 'properties')
  const additional = schema['additionalProperties'] ?? undefined
  if (additional !== undefined && additional !== true && properties.length > 0) {
    const detail = 'additionalProperties and properties are mutual exclusive'
    errors.push(forbidden(`${path}.additionalProperties`, detail))
  }
  const values = schemaOf(schema, 'additionalProperties')
  if (values !== undefined) {
    const noDefault = place.insideMeta ? 'inside additionalProperties applying to object metadata' : inside.noDefault
    check(values, `${path}.additionalProperties`, { ...inside, noDefault }, errors)
  }
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
  for (const [name, child] of properties) {
    const isMeta = isResource && META_FIELDS.has(name)
    check(
      child,
      `${path}.properties[${name}]`,
      {
        isRoot: false,
        insideMeta: place.insideMeta || isMeta,
        noDefault: isMeta && place.isRoot ? `in top-level ${name}` : inside.noDefault,
      },
      errors,
    )
  }
  const not = schemaOf(schema, 'not')
  if (not !== undefined) check(not, `${path}.not`, inside, errors)
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    schemasOf(schema, name).forEach((each, at) => check(each, `${path}.${name}[${at}]`, inside, errors))
  }
  for (const [name, child] of membersOf(schema, 'definitions')) {
    check(child, `${path}.definitions[${name}]`, inside, errors)
  }
  const items = schemaOf(schema, 'items')
  if (items !== undefined) check(items, `${path}.items`, inside, errors)
  schemasOf(schema, 'items').forEach((each, at) => check(each, `${path}.items[${at}]`, inside, errors))

  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  checkMapType(schema, path, errors)
  checkListType(schema, path, errors)
  checkRuleMembers(schema, path, errors)
}

/** Keywords of JSON schema that Kubernetes does not take. */
function checkKeywords(schema: JSONSchemaProps, path: string, place: Place, errors: FieldError[]): void {
  const type = textOf(schema.type)
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES))
  if (!absent(schema.default) && place.noDefault !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`))
  }
  if (textOf(schema.id) !== '') errors.push(forbidden(`${path}.id`, 'id is not supported'))
  for (const name of ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const) {
    const isThere =
      name === 'patternProperties' || name === 'definitions'
        ? membersOf(schema, name).length > 0
        : !absent(schema[name])
    if (isThere) errors.push(forbidden(`${path}.${name}`, `${name} is not supported`))
  }
  if (type === 'null') {
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  }
  if (schemasOf(schema, 'items').length > 0) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  }
}

const AT_ROOT_WITH_STATUS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
]

/** The root's own rules; with the status subresource few keywords are allowed, because the status is validated alone. */
export function checkRoot(schema: JSONSchemaProps, path: string, hasStatus: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  const type = textOf(schema.type)
  if (hasStatus && type !== '' && type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    errors.push(invalid(`${path}.type`, type, detail))
  } else if (hasStatus && Object.entries(schema).some(([name, value]) => isSet(value) && !isAllowedWithStatus(name))) {
    const detail = `only [${AT_ROOT_WITH_STATUS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`
    errors.push(invalid(path, schema, detail))
  }
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  return errors
}

const isSet = (value: unknown): boolean => (value ?? null) !== null && value !== false && value !== ''

/** The list above names Go fields: `XValidations` is `x-kubernetes-validations`. */
function isAllowedWithStatus(name: string): boolean {
  const goName = name
    .replace(/^x-kubernetes/, 'x')
    .replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return AT_ROOT_WITH_STATUS.includes(goName)
}
