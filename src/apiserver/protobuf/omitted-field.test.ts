import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { decode } from '../../schema/type/decode.ts'
import { omittedFields } from './omitted-field.ts'
import type { ProtobufData } from './data.ts'

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8'))
const { definitions } = read('kubernetes-1.36-definitions.json') as { readonly definitions: SchemaDefinitions }
const schemas = compileSchema(definitions, omittedFields(read('kubernetes-1.36-protobuf.json') as ProtobufData))
const pod = schemas.type('io.k8s.api.core.v1.Pod')

test('empty fields that Go leaves out of JSON are left out of a decoded object', () => {
  const container = { name: 'c', image: '', stdin: false, args: [], env: [{ name: 'A', value: '' }] }
  const spec = { hostNetwork: false, nodeSelector: {}, imagePullSecrets: [], containers: [container] }
  const { object, unknown } = decode(pod, { metadata: { labels: {}, generateName: '' }, spec })
  expect(object).toEqual({ metadata: {}, spec: { containers: [{ name: 'c', env: [{ name: 'A' }] }] } })
  expect(unknown).toEqual([])
})

test('pointers, structs and required fields stay, however empty they are', () => {
  const container = { name: '', resources: {}, ports: [{ containerPort: 0, hostPort: 0 }] }
  const volumes = [{ name: 'v', emptyDir: {} }]
  const spec = {
    containers: [container],
    volumes,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
  }
  const kept = { ...spec, containers: [{ ...container, ports: [{ containerPort: 0 }] }] }
  expect(decode(pod, { spec }).object).toEqual({ spec: kept })
  expect(decode(pod, { spec: { containers: [] } }).object).toEqual({ spec: { containers: [] } })
})

test('a field of a struct that stands inline in another one is found too', () => {
  const envFrom = [{ prefix: '', configMapRef: { name: '', optional: false } }]
  expect(decode(pod, { spec: { containers: [{ name: 'c', envFrom }] } }).object).toEqual({
    spec: { containers: [{ name: 'c', envFrom: [{ configMapRef: { optional: false } }] }] },
  })
})

test('an empty list of managed fields is kept, because it says something', () => {
  const kept = { metadata: { managedFields: [] } }
  expect(decode(pod, kept).object).toEqual(kept)
})
