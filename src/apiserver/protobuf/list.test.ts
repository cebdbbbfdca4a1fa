import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encodeProtobuf } from './encode.ts'
import { listInProtobuf } from './list.ts'
import { compileProtobuf } from './message-set.ts'
import type { ProtobufData } from './data.ts'

const data = JSON.parse(
  readFileSync(new URL('../../../schemas/kubernetes-1.36-protobuf.json', import.meta.url), 'utf8'),
) as ProtobufData
const messages = compileProtobuf(data)

const fields = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'c' } }
const mapOf = (index: number, size: number) => ({
  metadata: { name: `m${index}`, namespace: 'n', labels: { a: 'b' } },
  data: { text: 'x'.repeat(size) },
})

test.each([
  ['nothing', 0, 0],
  ['a few items', 3, 10],
  ['more than is kept in memory', 40, 50_000],
])('a list of %s is the envelope that it would be as a whole', async (_, count, size) => {
  const items = Array.from({ length: count }, (_, index) => mapOf(index, size))
  const parts = await listInProtobuf(
    messages,
    fields,
    items.map((item) => JSON.stringify(item)),
  )
  expect(
    Buffer.concat([...(parts ?? [])]).equals(encodeProtobuf(messages, { ...fields, items }) ?? Buffer.alloc(0)),
  ).toBe(true)
})

test('lists of metadata alone have an encoding, and lists of kinds without one do not', async () => {
  const metadata = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: {} }
  const text = JSON.stringify({ metadata: { name: 'a' } })
  const parts = await listInProtobuf(messages, metadata, [text])
  const whole = encodeProtobuf(messages, { ...metadata, items: [JSON.parse(text)] })
  expect(Buffer.concat([...(parts ?? [])]).equals(whole ?? Buffer.alloc(0))).toBe(true)
  expect(await listInProtobuf(messages, { kind: 'WidgetList', apiVersion: 'shop.example.com/v1' }, [])).toBeUndefined()
})
