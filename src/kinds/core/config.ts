import {
  append,
  areEnough,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { JsonTextError, parseJson } from '../../machinery/json-text.ts'
import { utf8Length } from '../../machinery/names.ts'
import { kindOf } from '../../schema/type/decode-error.ts'
import { set, without } from '../rule/change.ts'
import { configKeyProblems } from '../rule/config-key.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { isEmptyMap, objectOf, textOf } from '../../machinery/read.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'

/** 1 MiB: what one ConfigMap or Secret may hold. */
const MAX_BYTES = 1024 * 1024
const IMMUTABLE = 'field is immutable when `immutable` is set'
const ANNOTATION_ACCOUNT = 'kubernetes.io/service-account.name'

function validateKeys(data: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const key in data) {
    if (areEnough(errors)) break
    for (const text of configKeyProblems(key)) errors.push(invalid(`${path}[${key}]`, key, text))
  }
  return errors
}

/** How many bytes base64 text stands for. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

function bytes(data: JsonObject, size: (text: string) => number): number {
  let sum = 0
  for (const key in data) sum += size(textOf(data[key]))
  return sum
}

function validateConfigMap(object: KubeObject): readonly FieldError[] {
  const data = objectOf(object.data)
  const binary = objectOf(object.binaryData)
  const errors = [...validateKeys(data, 'data')]
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(binary, key)) errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
  }
  append(errors, validateKeys(binary, 'binaryData'))
  if (bytes(data, utf8Length) + bytes(binary, decodedLength) > MAX_BYTES) errors.push(tooLong('[]', MAX_BYTES))
  return errors
}

/** An object that says it is immutable may neither stop saying so nor change in these fields. */
function validateImmutability(object: KubeObject, old: KubeObject, fields: readonly string[]): readonly FieldError[] {
  if (old.immutable !== true) return []
  const errors: FieldError[] = object.immutable === true ? [] : [forbidden('immutable', IMMUTABLE)]
  for (const field of fields) {
    const same = semanticallyEqual(object[field], old[field]) || (isEmptyMap(object[field]) && isEmptyMap(old[field]))
    if (!same) errors.push(forbidden(field, IMMUTABLE))
  }
  return errors
}

const configMap: Strategy = {
  shortNames: ['cm'],
  validate: validateConfigMap,
  validateUpdate: (object, old) => [
    ...validateImmutability(object, old, ['data', 'binaryData']),
    ...validateConfigMap(object),
  ],
}

/** The keys that each type of Secret must have (core `ValidateSecret`). */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

/** A type is the user's own word, so it may be a name that every object knows. */
const requiredKeys = (type: string): readonly string[] =>
  Object.hasOwn(REQUIRED_KEYS, type) ? (REQUIRED_KEYS[type] ?? []) : []

function validateSecret(object: KubeObject): readonly FieldError[] {
  const data = objectOf(object.data)
  const errors = [...validateKeys(data, 'data')]
  if (bytes(data, decodedLength) > MAX_BYTES) errors.push(tooLong('data', MAX_BYTES))
  const type = textOf(object.type)
  if (type === 'kubernetes.io/service-account-token' && !object.metadata.annotations?.[ANNOTATION_ACCOUNT]) {
    errors.push(required(`metadata.annotations[${ANNOTATION_ACCOUNT}]`))
  }
  for (const key of requiredKeys(type)) {
    const missing = !(key in data) || (key === 'ssh-privatekey' && textOf(data[key]) === '')
    if (missing) errors.push(required(`data[${key}]`))
    const problem = missing || !key.startsWith('.docker') ? undefined : jsonProblem(textOf(data[key]))
    if (problem !== undefined) errors.push(invalid(`data[${key}]`, '<secret contents redacted>', problem))
  }
  if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
    errors.push(required('data[username]'), required('data[password]'))
  }
  return errors
}

/** The errors in credentials as JSON, in the words of `encoding/json`; they must be an object. */
function jsonProblem(base64: string): string | undefined {
  try {
    const value = parseJson(Buffer.from(base64, 'base64').toString('utf8'))
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
    return `json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`
  } catch (error) {
    if (error instanceof JsonTextError) return error.message
    throw error
  }
}

/** `stringData` is for writing only: its texts go into `data`, over what is there. */
function mergeStringData(object: KubeObject): KubeObject {
  if (!('stringData' in object)) return object
  const encoded = Object.entries(objectOf(object.stringData)).map(
    ([key, text]) => [key, Buffer.from(textOf(text), 'utf8').toString('base64')] as const,
  )
  const plain = without(object, 'stringData')
  return encoded.length === 0 ? plain : set(plain, 'data', { ...objectOf(object.data), ...Object.fromEntries(encoded) })
}

const secret: Strategy = {
  defaults: (object) => {
    const merged = mergeStringData(object)
    return textOf(merged.type) === '' ? set(merged, 'type', 'Opaque') : merged
  },
  validate: validateSecret,
  validateUpdate: (object, old) => {
    const sameType = object.type === old.type || textOf(old.type) === ''
    return [
      ...(sameType ? [] : [invalid('type', object.type, 'field is immutable')]),
      ...validateImmutability(object, old, ['data']),
      ...validateSecret(object),
    ]
  },
}

const serviceAccount: Strategy = { shortNames: ['sa'] }

export const configStrategies: Strategies = { configmaps: configMap, secrets: secret, serviceaccounts: serviceAccount }
