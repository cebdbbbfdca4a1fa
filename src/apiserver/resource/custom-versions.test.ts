import { describe, expect, test } from 'vitest'
import { servedCustomResource } from '../../../test/apiserver/served-custom-resource.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { customVersions } from './custom-versions.ts'

const TEXT = { type: 'string' }
const schema = (spec: JsonObject): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: spec } },
})
const definedVersions = [
  { name: 'v1', storage: true, schema: schema({ a: TEXT, b: { ...TEXT, default: 'one' } }) },
  { name: 'v2', storage: false, schema: schema({ a: TEXT, c: { ...TEXT, default: 'two' } }) },
]
const conversion = (version: string, schemasSince = 10) =>
  customVersions('widgets.a.test', servedCustomResource({ version, definedVersions, schemasSince }))
const widget = (version: string, revision: number, spec: object): KubeObject => ({
  kind: 'Widget',
  apiVersion: `a.test/${version}`,
  metadata: { name: 'g', resourceVersion: String(revision) },
  spec,
})

describe('a custom resource that is read', () => {
  test('is as it is stored when it was written since the schemas changed', () => {
    const fresh = widget('v1', 11, { a: 'x', unknown: 1 })
    expect(conversion('v1').fromStored(fresh)).toBe(fresh)
    expect(conversion('v1').isServed?.({ text: JSON.stringify(fresh), revision: 11 })).toBe(true)
  })

  test('is pruned and defaulted when it is older', () => {
    const old = widget('v1', 10, { a: 'x', unknown: 1 })
    expect(conversion('v1').fromStored(old)['spec']).toEqual({ a: 'x', b: 'one' })
    expect(conversion('v1').isServed?.({ text: JSON.stringify(old), revision: 10 })).toBe(false)
    const right = widget('v1', 10, { a: 'x', b: 'y' })
    expect(conversion('v1').fromStored(right)).toBe(right)
  })

  test('is pruned by the schema of the version that it is shown in', () => {
    const stored = widget('v1', 11, { a: 'x', b: 'y' })
    expect(conversion('v2').fromStored(stored)).toEqual(widget('v2', 11, { a: 'x' }))
    expect(conversion('v2').isServed?.({ text: JSON.stringify(stored), revision: 11 })).toBe(false)
  })

  test('of a version that is no longer defined is kept', () => {
    expect(conversion('v1').fromStored(widget('v0', 11, { a: 'x', z: 1 }))).toEqual(widget('v1', 11, { a: 'x' }))
  })
})

test('a written object is stored as the version that is marked for it', () => {
  const written = widget('v1', 11, { a: 'x', b: 'y' })
  expect(conversion('v1').toStored(written)).toBe(written)
  expect(conversion('v2').toStored(widget('v2', 11, { a: 'x', c: 'z' }))).toEqual(
    widget('v1', 11, { a: 'x', b: 'one' }),
  )
})
