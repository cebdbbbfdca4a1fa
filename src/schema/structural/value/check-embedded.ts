import { type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { isTree } from '../../../machinery/json-value.ts'
import { isDNS1035Label, pathSegmentName } from '../../../machinery/names.ts'
import { validateObjectMeta } from '../../../machinery/object-meta.ts'
import type { JsonObject, ObjectMeta } from '../../../machinery/object.ts'
import { kindOf } from '../../type/decode-error.ts'
import type { StructuralSchema } from './structural-schema.ts'

/**
 * The errors in embedded resources' `apiVersion`, `kind` and `metadata` (apiextensions `objectmeta.Validate`). The
 * metadata must have been coerced before, see coerce-embedded.ts.
 */
export function checkEmbedded(schema: StructuralSchema, value: unknown, path = ''): readonly FieldError[] {
  const errors: FieldError[] = []
  check(schema, value, path, errors)
  return errors
}

function check(schema: StructuralSchema, value: unknown, path: string, errors: FieldError[]): void {
  if (!schema.holds.embeddedResources) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined) value.forEach((item, at) => check(items, item, `${path}[${at}]`, errors))
  } else if (isTree(value)) {
    if (schema.embeddedResource) checkResource(value, path, errors)
    for (const [key, member] of Object.entries(value)) {
      const known = schema.properties.get(key)
      if (known !== undefined) check(known, member, child(path, key), errors)
      else if (typeof schema.additionalProperties === 'object') {
        check(schema.additionalProperties, member, `${path}[${key}]`, errors)
      }
    }
  }
}

function checkResource(object: JsonObject, path: string, errors: FieldError[]): void {
  for (const name of ['apiVersion', 'kind'] as const) {
    const value = Object.hasOwn(object, name) ? object[name] : ''
    const at = child(path, name)
    if (typeof value !== 'string') errors.push(invalid(at, value, 'must be a string'))
    else if (value === '') errors.push(required(at, 'must not be empty'))
    else errors.push(...(name === 'kind' ? checkKind(value, at) : checkApiVersion(value, at)))
  }
  const { metadata } = object
  if (!isTree(metadata)) return
  const odd = oddMember(metadata)
  if (odd !== undefined) {
    errors.push(invalid(child(path, 'metadata'), metadata, odd))
    return
  }
  const meta: ObjectMeta = metadata
  const name = meta.name === undefined || meta.name === '' ? 'fakename' : meta.name
  const namespaced = (meta.namespace ?? '') !== ''
  errors.push(
    ...validateObjectMeta({ ...meta, name }, { namespaced, nameRule: pathSegmentName, path: child(path, 'metadata') }),
  )
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextMap = (value: unknown): boolean => isTree(value) && Object.values(value).every(isText)
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isObjectList = (value: unknown): boolean => Array.isArray(value) && value.every(isTree)

/** The members of metadata that are looked at, what they are, and how Go calls that. */
const MEMBERS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, goType: string]>> = {
  name: [isText, 'string'],
  generateName: [isText, 'string'],
  namespace: [isText, 'string'],
  labels: [isTextMap, 'map[string]string'],
  annotations: [isTextMap, 'map[string]string'],
  finalizers: [isTextList, '[]string'],
  ownerReferences: [isObjectList, '[]v1.OwnerReference'],
}

/** Why metadata cannot be decoded, for that of a default: a body's was decoded before. */
function oddMember(metadata: JsonObject): string | undefined {
  for (const [name, [is, goType]] of Object.entries(MEMBERS)) {
    const value = metadata[name]
    if (value === undefined || value === null || is(value)) continue
    const into = `Go struct field ObjectMeta.${name} of type ${goType}`
    return `json: cannot unmarshal ${kindOf(value)} into ${into}`
  }
  return undefined
}

function checkKind(kind: string, path: string): readonly FieldError[] {
  const wrong = isDNS1035Label(kind.toLowerCase())
  if (wrong.length === 0) return []
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)]
}

function checkApiVersion(apiVersion: string, path: string): readonly FieldError[] {
  if (apiVersion.split('/').length <= 2) return []
  return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
