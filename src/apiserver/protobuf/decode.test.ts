import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import protobuf from 'protobufjs/minimal.js'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../machinery/json-text.ts'
import { isRawNumber } from '../../machinery/json-value.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { decode } from '../../schema/type/decode.ts'
import { decodeProtobuf } from './decode.ts'
import { compileProtobuf } from './message-set.ts'
import type { ProtobufData } from './data.ts'
import { ProtobufError } from './error.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

interface Fixture {
  readonly name: string
  readonly protobuf: string
  readonly json: JsonObject & { readonly apiVersion: string; readonly kind: string }
}

const data = JSON.parse(read('../../../schemas/kubernetes-1.36-protobuf.json')) as ProtobufData
const { definitions } = JSON.parse(read('../../../schemas/kubernetes-1.36-definitions.json')) as {
  readonly definitions: SchemaDefinitions
}
const fixtures = parseJson(read('fixtures.json')) as readonly Fixture[]
const messages = compileProtobuf(data)
const schemas = compileSchema(definitions)

const value = (bytes: Uint8Array): JsonObject => decodeProtobuf(messages, bytes).value

function typed({ apiVersion, kind }: Fixture['json'], object: JsonObject): unknown {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion]
  const type = schemas.typeOf({ group: group!, version: version!, kind })
  expect(type, `${apiVersion} ${kind} has a schema`).toBeDefined()
  const decoded = decode(type!, object)
  expect(decoded.unknown).toEqual([])
  return decoded.object
}

/** Returns Go's JSON without the nulls of nil lists, which protobuf cannot distinguish from absent ones. */
function withoutNullFields(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutNullFields)
  if (!isObject(json) || isRawNumber(json)) return json
  const entries = Object.entries(json).filter(([, item]) => item !== null)
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutNullFields(item)]))
}

const message = (write: (writer: protobuf.Writer) => void): Uint8Array => {
  const writer = protobuf.Writer.create()
  write(writer)
  return writer.finish()
}
const sub = (writer: protobuf.Writer, number: number, bytes: Uint8Array): protobuf.Writer =>
  writer.uint32((number << 3) | 2).bytes(bytes)
const text = (writer: protobuf.Writer, number: number, string: string): protobuf.Writer =>
  writer.uint32((number << 3) | 2).string(string)

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = message((to) => text(text(to, 1, apiVersion), 2, kind))
  const unknown = message((to) => sub(sub(to, 1, typeMeta), 2, raw))
  return Uint8Array.of(0x6b, 0x38, 0x73, 0, ...unknown)
}

describe('an object that Go wrote', () => {
  test.each(fixtures)('is read as its JSON says: $name', (fixture) => {
    expect(typed(fixture.json, value(Buffer.from(fixture.protobuf, 'base64')))).toEqual(
      typed(fixture.json, fixture.json),
    )
  })

  test.each(
    fixtures.filter(({ name }) => name !== 'a custom resource definition' && name !== 'a revision with raw data'),
  )('gives exactly the JSON that Go prints: $name', (fixture) => {
    expect(value(Buffer.from(fixture.protobuf, 'base64'))).toEqual(withoutNullFields(fixture.json))
  })

  test('keeps numbers that JavaScript cannot hold', () => {
    const fixture = fixtures.find(({ name }) => name === 'a pod with much in it')!
    const printed = JSON.stringify(value(Buffer.from(fixture.protobuf, 'base64')))
    expect(printed).toContain('"supplementalGroups":[0,1,9007199254740993]')
    expect(printed).toContain('"runAsGroup":-9007199254740993')
  })
})

test('the data has the fields of the published definitions, under the same names', () => {
  const fieldsOf = (name: string): readonly string[] =>
    Object.entries(data.messages[name] ?? {}).flatMap(([field, [, type, rule]]) =>
      rule === 'inline' ? fieldsOf(type) : [field],
    )
  const differing = Object.keys(data.messages).filter((name) => {
    const definition = definitions[name]
    if (definition?.properties === undefined) return false
    const described = Object.keys(definition.properties).filter((field) => !['kind', 'apiVersion'].includes(field))
    // `kind` and `apiVersion` are fields of references, but those of an object travel in the envelope.
    const laidOut = fieldsOf(name).filter((field) => !['kind', 'apiVersion'].includes(field))
    return described.toSorted().join() !== laidOut.toSorted().join()
  })
  expect(differing).toEqual([])
})

test('every message of every kind and its fields can be resolved', () => {
  const versions = new Map(Object.entries(data.packages).map(([apiVersion, name]) => [name, apiVersion]))
  const unresolved = Object.keys(data.messages).filter((name) => {
    const dot = name.lastIndexOf('.')
    return messages.fieldsOf(versions.get(name.slice(0, dot)) ?? '', name.slice(dot + 1)) === undefined
  })
  expect(unresolved).toEqual([])
})

describe('odd but valid bytes', () => {
  test('an unknown field is skipped', () => {
    const raw = message((to) => text(to.uint32((99 << 3) | 3).uint32((99 << 3) | 4), 98, 'x'))
    expect(value(envelope('v1', 'ConfigMap', raw))).toEqual({ kind: 'ConfigMap', apiVersion: 'v1' })
  })

  test('a message that comes twice is merged, the last scalar wins, a zero takes the value away', () => {
    const meta = (write: (to: protobuf.Writer) => void): Uint8Array => message((to) => sub(to, 1, message(write)))
    const raw = [
      ...meta((to) => text(text(to, 1, 'old'), 3, 'space')),
      ...meta((to) => text(text(to, 1, 'new'), 3, '')),
      ...meta((to) => text(to, 2, 'generate')),
    ]
    expect(value(envelope('v1', 'ConfigMap', Uint8Array.from(raw)))['metadata']).toEqual({
      name: 'new',
      generateName: 'generate',
    })
  })

  test('a packed list is read like a plain one', () => {
    const context = message((to) =>
      to
        .uint32((4 << 3) | 2)
        .fork()
        .int64(5)
        .int64(-1)
        .ldelim()
        .uint32(4 << 3)
        .int64(7),
    )
    const raw = message((to) =>
      sub(
        to,
        2,
        message((spec) => sub(spec, 14, context)),
      ),
    )
    expect(value(envelope('v1', 'Pod', raw))['spec']).toEqual({ securityContext: { supplementalGroups: [5, -1, 7] } })
  })

  test('an entry of a map without key and value is zero', () => {
    const raw = message((to) => sub(to, 2, new Uint8Array()))
    expect(value(envelope('v1', 'ConfigMap', raw))['data']).toEqual({ '': '' })
    const quota = message((to) =>
      sub(
        to,
        2,
        message((spec) => sub(spec, 1, new Uint8Array())),
      ),
    )
    expect(value(envelope('v1', 'ResourceQuota', quota))['spec']).toEqual({ hard: { '': '0' } })
  })

  test('the kind comes from the caller when the envelope does not name it', () => {
    const bytes = envelope('', '', new Uint8Array())
    expect(decodeProtobuf(messages, bytes, { apiVersion: 'v1', kind: 'Pod' }).value).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
    })
  })

  test('the second zero of the epoch is a time, an empty message is not', () => {
    const created = (time: Uint8Array): Uint8Array =>
      message((to) =>
        sub(
          to,
          1,
          message((meta) => sub(meta, 8, time)),
        ),
      )
    const epoch = message((to) => to.uint32(1 << 3).int64(0))
    expect(value(envelope('v1', 'Pod', created(epoch)))['metadata']).toEqual({
      creationTimestamp: '1970-01-01T00:00:00Z',
    })
    expect(value(envelope('v1', 'Pod', created(new Uint8Array())))['metadata']).toEqual({})
  })
})

describe('an unreadable body is rejected', () => {
  const created = (seconds: number): Uint8Array => {
    const time = message((to) => to.uint32(1 << 3).int64(seconds))
    return message((to) =>
      sub(
        to,
        1,
        message((meta) => sub(meta, 8, time)),
      ),
    )
  }
  let schema: Uint8Array = new Uint8Array()
  for (let level = 0; level < 1000; level++) schema = message((to) => sub(to, 28, schema))
  const inSchema = [1, 4, 7, 2].reduce<Uint8Array>((bytes, number) => message((to) => sub(to, number, bytes)), schema)
  test.each<[string, Uint8Array, RegExp]>([
    [
      'nothing',
      new Uint8Array(),
      /^provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\]$/,
    ],
    [
      'JSON',
      Buffer.from('{"kind":"Pod"}'),
      /^provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\]$/,
    ],
    [
      'an envelope without anything',
      Uint8Array.of(0x6b, 0x38, 0x73, 0),
      /^provided data does not appear to be a protobuf message, expected prefix \[107 56 115 0\]$/,
    ],
    ['no kind', envelope('v1', '', new Uint8Array()), /'Kind' is missing/],
    ['no version', envelope('', 'Pod', new Uint8Array()), /'apiVersion' is missing/],
    ['a kind that nobody knows', envelope('v1', 'Gadget', new Uint8Array()), /Gadget of v1 has no protobuf encoding/],
    ['a kind named like a property of every object', envelope('v1', 'constructor', new Uint8Array()), /no protobuf/],
    ['a length beyond the end', envelope('v1', 'Pod', Uint8Array.of(0x0a, 0x05, 0x00)), /out of range/],
    ['a wrong wire type', envelope('v1', 'Pod', Uint8Array.of(0x08, 0x00)), /wrong wire type 0 for field metadata/],
    ['the field 0', envelope('v1', 'Pod', Uint8Array.of(0x02, 0x00)), /illegal tag/],
    ['a string of invalid UTF-8', envelope('v1', 'Pod', Uint8Array.of(0x0a, 0x03, 0x0a, 0x01, 0xff)), /./],
    ['a time beyond the year 9999', envelope('v1', 'Pod', created(1e12)), /time out of range/],
    ['a time that no number holds', envelope('v1', 'Pod', created(2 ** 60)), /time out of range/],
    [
      'messages without end',
      envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', inSchema),
      /exceeded max depth/,
    ],
    [
      'invalid embedded JSON',
      envelope(
        'apps/v1',
        'ControllerRevision',
        message((to) =>
          sub(
            to,
            2,
            message((raw) => text(raw, 1, '{')),
          ),
        ),
      ),
      /embedded JSON/,
    ],
  ])('%s', (_, bytes, expected) => {
    expect(() => value(bytes)).toThrow(ProtobufError)
    expect(() => value(bytes)).toThrow(expected)
  })

  const onlyTyped = (bytes: Uint8Array): void => {
    try {
      JSON.stringify(value(bytes))
    } catch (error) {
      expect(error).toBeInstanceOf(ProtobufError)
    }
  }

  test('any bytes give an object or a ProtobufError', () => {
    const kinds = fc.constantFrom(...fixtures.map(({ json }) => json))
    fc.assert(
      fc.property(kinds, fc.uint8Array({ maxLength: 200 }), ({ apiVersion, kind }, raw) =>
        onlyTyped(envelope(apiVersion, kind, raw)),
      ),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => onlyTyped(Uint8Array.of(0x6b, 0x38, 0x73, 0, ...bytes))),
    )
  })

  test('changed and cut objects give an object or a ProtobufError', () => {
    const valid = fc.constantFrom(...fixtures.map((fixture) => Buffer.from(fixture.protobuf, 'base64')))
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(valid, changes, fc.nat(), (bytes, list, cut) => {
        const changed = Uint8Array.from(bytes)
        for (const [at, byte] of list) changed[4 + (at % (bytes.length - 4))] = byte
        onlyTyped(changed)
        onlyTyped(bytes.subarray(0, cut % bytes.length))
      }),
      { numRuns: 1000 },
    )
  })
})
