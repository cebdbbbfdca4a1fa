import { DecodeError } from '../../schema/type/decode-error.ts'
import { decode, type DecodeOptions } from '../../schema/type/decode.ts'
import { duplicateFields, JsonTextError, parseJson } from '../../machinery/json-text.ts'
import { readJsonAsYaml } from '../../machinery/yaml/json.ts'
import { YamlTextError } from '../../machinery/yaml/text.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { refuseHeavy } from '../../machinery/value-weight.ts'
import { badRequest, unsupportedMediaType } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import { sliceFor, type TimeSlice } from '../../runtime/tasks/time-slice.ts'
import { parseMediaType } from '../../runtime/http/media-type.ts'
import { decodeProtobuf } from '../protobuf/decode.ts'
import { isProtobuf, PROTOBUF } from '../protobuf/is-protobuf.ts'
import { ProtobufError } from '../protobuf/error.ts'
import type { Resource } from '../resource/registry.ts'
import type { BodyDecoders } from './body-decoders.ts'
import { bodyKind, unparsed } from './body-kind.ts'
import { readCustom } from './custom-body.ts'
import { UnreadableBody, unrecognized } from './unreadable-body.ts'
import type { YamlAsker } from './yaml-reader.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** A decoded object, and what its text said that the kind does not know. */
export interface ReadObject {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The text of a body. Throws 400 for invalid UTF-8. */
export async function readText(exchange: Exchange): Promise<string> {
  return decodeText(await exchange.body())
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest('the body of the request is not valid UTF-8')
  }
}

/** A body before it is known to be an object of a kind. */
export interface ReadValue {
  readonly value: unknown
  /** Complaints about fields that stand twice. */
  readonly duplicates: readonly string[]
  /** Begun when the body was there, if that is a long one. */
  readonly slice?: TimeSlice | undefined
}

/** A JSON, YAML or protobuf body as a value. Throws 415, and 400 for what cannot become an object of the kind. */
export async function readValue(
  decoders: BodyDecoders,
  exchange: Exchange,
  validation: FieldValidation,
  kind: string,
): Promise<ReadValue> {
  const type = bodyType(exchange)
  const bytes = await exchange.body()
  const slice = sliceFor(bytes.length, () => exchange.turn())
  try {
    const read = await decodeBody(decoders, { type, bytes, validation, slice }, exchange)
    if (slice === undefined) return read
    await slice.next()
    return { ...read, slice }
  } catch (error) {
    throw error instanceof UnreadableBody ? unrecognized(kind, error, bytes) : error
  }
}

export type BodyType = 'json' | 'yaml' | 'protobuf'

interface Body {
  readonly type: BodyType
  readonly bytes: Uint8Array
  readonly validation: FieldValidation
  /** Lets others have their turn between the steps. */
  readonly slice?: TimeSlice | undefined
}

interface TextBody {
  readonly text: string
  readonly validation: FieldValidation
  readonly slice?: TimeSlice | undefined
}

/** Throws 415. A body without a type is JSON. */
export function bodyType(exchange: Exchange): BodyType {
  const header = exchange.headers['content-type'] ?? ''
  if (isProtobuf(header)) return 'protobuf'
  const { type } = parseMediaType(header)
  if (type === '' || type === 'application/json') return 'json'
  if (type === 'application/yaml') return 'yaml'
  throw unsupportedMediaType(ACCEPTED)
}

/** Throws `UnreadableBody` unless the body is an object whose kind and version are strings, and 413 for too many values. */
export async function decodeBody(
  decoders: BodyDecoders,
  { type, bytes, validation, slice }: Body,
  asker: YamlAsker,
): Promise<ReadValue> {
  const read =
    type === 'protobuf'
      ? { value: protobufValue(decoders, bytes), duplicates: [] }
      : type === 'yaml'
        ? await yamlValue(decoders, { text: decodeText(bytes), validation, slice }, asker)
        : await jsonValue({ text: decodeText(bytes), validation, slice })
  if (type !== 'json') refuseHeavy(read.value)
  bodyKind(read.value)
  return read
}

async function jsonValue({ text, validation, slice }: TextBody): Promise<ReadValue> {
  try {
    const value = parseJson(text)
    if (slice !== undefined) await slice.next()
    refuseHeavy(value, text.length)
    if (slice !== undefined) await slice.next()
    return { value, duplicates: validation === 'Ignore' ? [] : duplicateFields(text, value) }
  } catch (error) {
    throw error instanceof JsonTextError ? unparsed(error.message) : error
  }
}

async function yamlValue(decoders: BodyDecoders, body: TextBody, asker: YamlAsker): Promise<ReadValue> {
  try {
    return await readYaml(decoders, body, asker)
  } catch (error) {
    throw error instanceof YamlTextError ? new UnreadableBody(error.message) : error
  }
}

/** JSON is YAML, and what clients mostly send as such. Throws YamlTextError, 413 and 429. */
async function readYaml({ yaml }: BodyDecoders, body: TextBody, asker: YamlAsker): Promise<ReadValue> {
  const { text, validation, slice } = body
  const withDuplicates = validation !== 'Ignore'
  const json = readJsonAsYaml(text, withDuplicates)
  if (json === undefined || json.isTwice) return await yaml.read({ text, withDuplicates }, asker)
  if (slice !== undefined) await slice.next()
  return { value: json.value, duplicates: [] }
}

/** kubectl's typed commands send protobuf. */
function protobufValue({ protobuf }: BodyDecoders, bytes: Uint8Array): unknown {
  try {
    return decodeProtobuf(protobuf, bytes).value
  } catch (error) {
    throw error instanceof ProtobufError ? new UnreadableBody(error.message) : error
  }
}

/**
 * A value as an object of the resource's kind: kind and version are checked or filled in, types checked, unknown fields
 * dropped and, by `validation`, refused or warned of, defaults set. Throws 400.
 */
export function toObject(
  resource: Resource,
  value: unknown,
  duplicates: readonly string[],
  validation: FieldValidation,
): ReadObject {
  try {
    return decodedObject(resource, value, duplicates, validation)
  } catch (error) {
    const { kind, version } = resource.served
    throw error instanceof DecodeError ? unhandled(kind, version, kind, error.message) : error
  }
}

/** 400 for a body that names a kind and cannot be decoded as an object of it. */
export const unhandled = (sent: string, version: string, kind: string, message: string): Error =>
  badRequest(`${sent} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`)

/** `toObject` that throws a `DecodeError` for what the kind's type cannot take. `how` says whether the value was a text before. */
export function decodedObject(
  resource: Resource,
  value: unknown,
  duplicates: readonly string[],
  validation: FieldValidation,
  how: Pick<DecodeOptions, 'converts'> = {},
): ReadObject {
  const { apiVersion, served, schema, decoding } = resource
  // Of a custom resource nothing is filled in, and a message shows the body.
  if (schema !== undefined && value === null) throw new DecodeError("Object 'Kind' is missing in 'null'", '')
  const given = value ?? {}
  if (!isObject(given))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${served.kind}): the body must be a JSON object`,
    )
  if (schema !== undefined) return completed(resource, readCustom(resource, given, schema), duplicates, validation)
  const kind = given['kind'] ?? served.kind
  const version = given['apiVersion'] ?? apiVersion
  if (kind !== served.kind || version !== apiVersion) throw wrongKind(resource, kind, version)
  const named =
    kind === given['kind'] && version === given['apiVersion'] ? given : { ...given, kind, apiVersion: version }
  const { object: decoded, unknown } = decode(decoding, withSpec(resource, named), how)
  // Decoding gives what the type says: an object of the kind. Only metadata may be missing.
  const typed = decoded as KubeObject
  const object = typed.metadata === undefined ? { ...typed, metadata: {} } : typed
  return completed(resource, { object, unknown }, duplicates, validation)
}

/** A built-in object always has its spec, if only an empty one: in Go it is a part of it. */
function withSpec({ type }: Resource, value: JsonObject): JsonObject {
  const isAbsent = value['spec'] === undefined || value['spec'] === null
  const belongs = isAbsent && type?.kind === 'object' && type.fields.get('spec')?.type.kind === 'object'
  return belongs ? { ...value, spec: {} } : value
}

/** With its defaults; throws a `DecodeError` where unknown and repeated fields are to be refused. */
function completed(
  resource: Resource,
  { object, unknown }: { readonly object: KubeObject; readonly unknown: readonly string[] },
  duplicates: readonly string[],
  validation: FieldValidation,
): ReadObject {
  const complaints = [...duplicates, ...unknown]
  if (validation === 'Strict' && complaints.length > 0)
    throw new DecodeError(`strict decoding error: ${complaints.join(', ')}`, '')
  return { object: resource.strategy.defaults?.(object) ?? object, warnings: validation === 'Warn' ? complaints : [] }
}

/** A value that a client sent, for a message. An object may have a `toString` of its own, so only strings are used as they are. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function wrongKind(resource: Resource, kind: unknown, version: unknown): Error {
  const { served, apiVersion } = resource
  if (version === apiVersion)
    return badRequest(
      `${shown(kind)} in version ${JSON.stringify(served.version)} cannot be handled as a ${served.kind}: no kind match`,
    )
  return badRequest(
    `the API version in the data (${shown(version)}) does not match the expected API version (${apiVersion})`,
  )
}
