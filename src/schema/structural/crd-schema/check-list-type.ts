import type { JSONSchemaProps } from '../../../builtin/apiextensions-v1.ts'
import { absent, textOf, textsOf } from '../../../machinery/read.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { membersOf, schemaOf } from './document.ts'

const LIST_TYPE = 'x-kubernetes-list-type'
const MAP_TYPE = 'x-kubernetes-map-type'
const MAP_KEYS = 'x-kubernetes-list-map-keys'

/** The rules of `x-kubernetes-map-type`. */
export function checkMapType(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  if (absent(schema[MAP_TYPE])) return
  const type = textOf(schema.type)
  const mapType = textOf(schema[MAP_TYPE])
  mustBe('object', type, MAP_TYPE, path, errors)
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(`${path}.${MAP_TYPE}`, mapType, ['atomic', 'granular']))
  }
}

/** The rules of `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
export function checkListType(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const isTyped = !absent(schema[LIST_TYPE])
  const listType = textOf(schema[LIST_TYPE])
  const keys = textsOf(schema[MAP_KEYS])
  const items = schemaOf(schema, 'items')
  if (isTyped && textOf(schema.type) !== 'array') mustBe('array', textOf(schema.type), LIST_TYPE, path, errors)
  else if (listType === 'set' && items !== undefined) checkSetItems(items, `${path}.items`, errors)
  if (isTyped && !['atomic', 'set', 'map'].includes(listType)) {
    const supported = ['atomic', 'set', 'map'].map((text) => JSON.stringify(text)).join(', ')
    errors.push({ ...notSupported(`${path}.${LIST_TYPE}`, listType, []), detail: `supported values: ${supported}` })
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${MAP_KEYS} is non-empty`
    errors.push(isTyped ? invalid(`${path}.${LIST_TYPE}`, listType, detail) : required(`${path}.${LIST_TYPE}`, detail))
  }
  if (listType === 'map') checkMapKeys(schema, keys, items, path, errors)
  if ((listType === 'map' || listType === 'set') && items !== undefined && items.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${listType}`))
  }
  if (listType === 'map' && items !== undefined) checkKeysAreThere(items, keys, `${path}.items`, errors)
}

/** The items of a set are owned as a whole, so they may not be of a kind that is owned in parts. */
function checkSetItems(items: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`
  const type = textOf(items.type)
  const own = type === 'array' ? LIST_TYPE : MAP_TYPE
  const value = !absent(items[own]) ? textOf(items[own]) : undefined
  // Upstream prints the list type in both cases.
  const shown = !absent(items[LIST_TYPE]) ? textOf(items[LIST_TYPE]) : null
  const isWrong = type === 'array' ? value !== undefined && value !== 'atomic' : type === 'object' && value !== 'atomic'
  if (isWrong) errors.push(invalid(`${path}.${own}`, shown, detail))
}

function checkMapKeys(
  schema: JSONSchemaProps,
  keys: readonly string[],
  items: JSONSchemaProps | undefined,
  path: string,
  errors: FieldError[],
): void {
  const at = `${path}.${MAP_KEYS}`
  if (keys.length === 0) errors.push(required(at, `must not be empty if ${LIST_TYPE} is map`))
  if (absent(schema.items)) errors.push(required(`${path}.items`, `must have a schema if ${LIST_TYPE} is map`))
  else if (items === undefined) {
    errors.push(invalid(`${path}.items`, schema['items'], `must only have a single schema if ${LIST_TYPE} is map`))
  }
  if (items === undefined) return
  const type = textOf(items.type)
  if (type !== 'object') {
    errors.push(invalid(`${path}.items.type`, type, `must be object if parent array's ${LIST_TYPE} is map`))
    return
  }
  const properties = new Map(membersOf(items, 'properties'))
  const seen = new Set<string>()
  keys.forEach((key) => {
    const property = properties.get(key)
    if (property === undefined) errors.push(invalid(at, keys, 'entries must all be names of item properties'))
    else if (['array', 'object'].includes(textOf(property.type))) {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`
      errors.push(invalid(`${path}.items.properties[${key}].type`, type, detail))
    }
    if (seen.has(key)) errors.push(invalid(at, keys, 'must not contain duplicate entries'))
    seen.add(key)
  })
}

/** A key must be in every item: required or with a default, and never null. */
function checkKeysAreThere(items: JSONSchemaProps, keys: readonly string[], path: string, errors: FieldError[]): void {
  const properties = new Map(membersOf(items, 'properties'))
  const needed = new Set(textsOf(items.required))
  for (const key of keys) {
    const property = properties.get(key)
    if (property === undefined) continue
    const at = `${path}.properties[${key}]`
    const reason = `this property is in ${MAP_KEYS}, so it`
    if (!needed.has(key) && absent(property.default)) {
      errors.push(required(`${at}.default`, `${reason} must have a default or be a required property`))
    }
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, `${reason} cannot be nullable`))
  }
}

function mustBe(wanted: string, type: string, because: string, path: string, errors: FieldError[]): void {
  if (type === wanted) return
  const detail = `must be ${wanted} if ${because} is specified`
  errors.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail))
}
