import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../machinery/json-text.ts'
import { WeightAllowance } from '../../machinery/value-weight.ts'
import { decodeProtobuf } from './decode.ts'
import { encodeProtobuf, encodeWatchEvent } from './encode.ts'
import { compileProtobuf } from './message-set.ts'
import type { ProtobufData } from './data.ts'
import { type MessageTarget, readMessage } from './read-message.ts'
import { readerOf } from './wire-type.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const messages = compileProtobuf(JSON.parse(read('../../../schemas/kubernetes-1.36-protobuf.json')) as ProtobufData)
const fixtures = parseJson(read('fixtures.json')) as readonly { readonly name: string; readonly protobuf: string }[]

/** Reads what only a server writes, which `decodeProtobuf` does not take. */
function readAnswer(bytes: Uint8Array, apiVersion: string, kind: string): MessageTarget {
  const fields = messages.answerFieldsOf(apiVersion, kind)
  if (fields === undefined) throw new Error(`no ${kind}`)
  const at = Buffer.from(bytes).indexOf(kind) + kind.length
  const reader = readerOf(bytes.subarray(at))
  expect(reader.tag() >>> 3).toBe(2)
  const target: MessageTarget = {}
  readMessage(fields, readerOf(reader.bytes()), target, { depth: 0, allowance: new WeightAllowance() })
  return target
}

describe('an object', () => {
  test.each(fixtures.filter(({ name }) => name !== 'delete options'))(
    'is written so that it reads as before: $name',
    ({ protobuf }) => {
      const { value } = decodeProtobuf(messages, Buffer.from(protobuf, 'base64'))
      const written = encodeProtobuf(messages, value)
      expect(written && decodeProtobuf(messages, written).value).toEqual(value)
    },
  )

  test('of a kind that has no messages is not written', () => {
    expect(encodeProtobuf(messages, { apiVersion: 'example.com/v1', kind: 'Widget' })).toBeUndefined()
    expect(encodeProtobuf(messages, { apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toBeUndefined()
  })

  test('keeps a name that is not an own property', () => {
    const labels = JSON.parse('{"__proto__":"x"}')
    const value = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels } }
    expect(decodeProtobuf(messages, encodeProtobuf(messages, value) ?? new Uint8Array()).value).toEqual(value)
  })
})

describe('kinds that only a server sends', () => {
  const item = { metadata: { name: 'a', generation: 9007199254740991 }, data: { k: 'v' } }

  test.each([
    ['a list', { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [item] }],
    ['a list of nothing', { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'x' } }],
    [
      'metadata alone',
      { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items: [{ metadata: item.metadata }] },
    ],
    [
      'a failure',
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        details: { name: 'a', causes: [{ field: 'x' }], retryAfterSeconds: 3 },
        code: 409,
      },
    ],
  ])('is written: %s', (_what, { kind, apiVersion, ...members }) => {
    const written = encodeProtobuf(messages, { kind, apiVersion, ...members })
    expect(readAnswer(written ?? new Uint8Array(), apiVersion, kind)).toEqual(members)
  })

  test('is an event of a watch, behind its length', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', ...item }
    const frame = Buffer.from(encodeWatchEvent(messages, { type: 'ADDED', object }) ?? [])
    expect(frame.readUInt32BE()).toBe(frame.length - 4)
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\u0005ADDED')
    expect(decodeProtobuf(messages, frame.subarray(frame.indexOf('k8s\0'))).value).toEqual(object)
  })
})
