import protobuf from 'protobufjs/light.js'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { givenObjects } from '../../machinery/read.ts'

type Named = Readonly<Record<string, JsonObject>>

/**
 * Writes OpenAPI v2 documents in the protobuf form that kubectl and client-go read. Paths and definitions are encoded
 * in pieces. The encoding of a message with one repeated field is the concatenation of the encodings of its parts. So a
 * new custom resource costs only its own pieces.
 */
export interface OpenApiV2Encoder {
  /** Some entries of the document's `paths`. */
  readonly paths: (paths: Named) => Uint8Array
  /** Some entries of the document's `definitions`. */
  readonly definitions: (definitions: Named) => Uint8Array
  /** The whole document, from its frame (`swagger`, `info`) and all pieces. */
  readonly document: (frame: JsonObject, paths: readonly Uint8Array[], definitions: readonly Uint8Array[]) => Uint8Array
}

const LENGTH_DELIMITED = 2

/** @param messages the `messages` of `schemas/openapi-v2-protobuf.json` */
export function openApiV2Encoder(messages: Readonly<Record<string, unknown>>): OpenApiV2Encoder {
  const root = protobuf.Root.fromJSON({ nested: messages as Record<string, protobuf.AnyNestedObject> })
  const [document, paths, definitions] = ['Document', 'Paths', 'Definitions'].map((name) => root.lookupType(name))
  if (document === undefined || paths === undefined || definitions === undefined)
    throw new TypeError('messages are missing')
  const tagOf = (field: string): number => {
    const id = document.fields[field]?.id
    if (id === undefined) throw new TypeError(`the message Document has no field ${field}`)
    return (id << 3) | LENGTH_DELIMITED
  }
  const pathsTag = tagOf('paths')
  const definitionsTag = tagOf('definitions')
  return {
    paths: (entries) => paths.encode({ path: named(entries, pathItem) }).finish(),
    definitions: (entries) =>
      definitions.encode({ additionalProperties: named(entries, (one) => schema(one)) }).finish(),
    document: (frame, pathPieces, definitionPieces) =>
      document
        .encode(frame)
        .uint32(pathsTag)
        .bytes(Buffer.concat(pathPieces))
        .uint32(definitionsTag)
        .bytes(Buffer.concat(definitionPieces))
        .finish(),
  }
}

const named = (entries: JsonObject, value: (entry: JsonObject, key: string) => unknown): readonly JsonObject[] =>
  Object.entries(entries).map(([name, entry]) => ({ name, value: value(isObject(entry) ? entry : {}, name) }))

// Every JSON text is a YAML text, and cheaper to write.
const yaml = (value: unknown): JsonObject => ({ yaml: JSON.stringify(value) })

const vendorExtension = (of: JsonObject): readonly JsonObject[] =>
  Object.entries(of).flatMap(([name, value]) => (name.startsWith('x-') ? [{ name, value: yaml(value) }] : []))

function pathItem(item: JsonObject): JsonObject {
  const operations = Object.entries(item).filter(([key, value]) => key !== 'parameters' && isObject(value))
  return {
    ...Object.fromEntries(operations.map(([method, value]) => [method, operation(isObject(value) ? value : {})])),
    parameters: givenObjects(item['parameters']).map(parameter),
  }
}

function operation(value: JsonObject): JsonObject {
  const { parameters, responses, ...plain } = value
  return {
    ...plain,
    parameters: givenObjects(parameters).map(parameter),
    responses: { responseCode: named(isObject(responses) ? responses : {}, (one) => ({ response: response(one) })) },
    vendorExtension: vendorExtension(value),
  }
}

function response({ description, schema: body }: JsonObject): JsonObject {
  return { description, ...(isObject(body) ? { schema: { schema: schema(body) } } : {}) }
}

function parameter(value: JsonObject): JsonObject {
  if (value['in'] === 'body') {
    const body = value['schema']
    return { parameter: { bodyParameter: { ...value, schema: schema(isObject(body) ? body : {}) } } }
  }
  const kind = value['in'] === 'path' ? 'pathParameterSubSchema' : 'queryParameterSubSchema'
  return { parameter: { nonBodyParameter: { [kind]: value } } }
}

/** Fields that are the same in JSON and in the message are carried over as they are; the encoder takes only what it knows. */
function schema(value: JsonObject, depth = 0): JsonObject {
  const child = (one: JsonObject): JsonObject => schema(one, depth + 1)
  const isShallow = depth < MAX_DEPTH
  const {
    $ref,
    type,
    items,
    properties,
    additionalProperties,
    allOf,
    enum: values,
    default: fallback,
    example,
    ...plain
  } = value
  return {
    ...plain,
    ...(typeof $ref === 'string' ? { _ref: $ref } : {}),
    ...(type === undefined ? {} : { type: { value: Array.isArray(type) ? type : [type] } }),
    ...(isShallow && isObject(items) ? { items: { schema: [child(items)] } } : {}),
    ...(isShallow && isObject(properties) ? { properties: { additionalProperties: named(properties, child) } } : {}),
    ...(isShallow && isObject(additionalProperties)
      ? { additionalProperties: { schema: child(additionalProperties) } }
      : typeof additionalProperties === 'boolean'
        ? { additionalProperties: { boolean: additionalProperties } }
        : {}),
    ...(isShallow && Array.isArray(allOf) ? { allOf: givenObjects(allOf).map(child) } : {}),
    ...(Array.isArray(values) ? { enum: values.map(yaml) } : {}),
    ...(fallback === undefined ? {} : { default: yaml(fallback) }),
    ...(example === undefined ? {} : { example: yaml(example) }),
    vendorExtension: vendorExtension(value),
  }
}

/**
 * The encoder takes 100 messages inside one another, and a schema takes three for each of its levels. The levels below are
 * left open, as OpenAPI v2 leaves open all that it cannot say.
 */
const MAX_DEPTH = 30
