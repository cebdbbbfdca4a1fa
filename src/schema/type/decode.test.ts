import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SUFFIXES } from '../../../test/quantity/suffixes.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { parseJson } from '../../machinery/json-text.ts'
import { compileSchema, type SchemaDefinitions } from './compile.ts'
import { ApiError } from '../../machinery/status.ts'
import { MOST_AMOUNTS } from '../../machinery/value-weight.ts'
import { DecodeError } from './decode-error.ts'
import { decode, decodeObject } from './decode.ts'
import type { ObjectType } from './type.ts'

const file = new URL('../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const schemas = compileSchema(
  (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions,
)
const typeOf = (kind: string, group = '', version = 'v1'): ObjectType => schemas.typeOf({ group, version, kind })!
const pod = typeOf('Pod')
const quota = typeOf('ResourceQuota')
const secret = typeOf('Secret')
const lease = typeOf('Lease', 'coordination.k8s.io')

const kept = (type: ObjectType, text: string): string => JSON.stringify(decode(type, parseJson(text)).object)
function refused(type: ObjectType, text: string, strict = false): string {
  try {
    decode(type, parseJson(text), { strict })
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
  return 'no error'
}

test('a whole float64 stands for the whole number where an object is converted, and nowhere else', () => {
  const text =
    '{"spec":{"priority":1.0,"activeDeadlineSeconds":1e1,"containers":[{"name":"c","ports":[{"containerPort":8e1}]}]}}'
  expect(decode(pod, parseJson(text), { converts: true }).object).toEqual({
    spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }], activeDeadlineSeconds: 10, priority: 1 },
  })
  expect(refused(pod, text)).toContain('number 1.0 into Go struct field')
  const named = (value: string): unknown => decode(pod, parseJson(`{"metadata":{"name":${value}}}`), { converts: true })
  expect(() => named('1.0')).toThrow('json: cannot unmarshal number into Go struct field')
})

describe('decode keeps', () => {
  test('an object that is as it should be, without copying it', () => {
    const object = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      spec: { containers: [{ image: 'i', name: 'c' }] },
    }
    expect(decode(pod, object).object).toBe(object)
  })

  test('unchanged values below a field that changed', () => {
    const spec = { containers: [{ image: 'i', name: 'c' }] }
    const { object } = decode(pod, { metadata: { name: 'a', labels: null }, spec })
    expect(object).toEqual({ metadata: { name: 'a' }, spec })
    expect((object as { spec: unknown }).spec).toBe(spec)
  })

  test('the order of the schema, with kind, apiVersion and metadata first', () => {
    expect(kept(pod, '{"spec":{"hostname":"h","containers":[]},"metadata":{},"apiVersion":"v1","kind":"Pod"}')).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[],"hostname":"h"}}',
    )
  })

  test('empty objects, strings, zeros and false', () => {
    const text = '{"spec":{"activeDeadlineSeconds":0,"hostNetwork":false,"hostname":"","volumes":[{"emptyDir":{}}]}}'
    expect(kept(pod, text)).toBe(text)
  })

  test('anything in raw extensions', () => {
    const revision = typeOf('ControllerRevision', 'apps')
    const text = '{"data":{"spec":{"x":null,"n":1.0}},"revision":1}'
    expect(kept(revision, text)).toBe(text)
  })

  test('its input as it was', () => {
    const input = Object.freeze({
      spec: Object.freeze({ foo: 1, hard: Object.freeze({ cpu: '1000m', pods: null }) }),
      x: 1,
    })
    expect(decode(quota, input).object).toEqual({ spec: { hard: { cpu: '1', pods: '0' } } })
  })
})

describe('decode drops', () => {
  test('unknown fields and says where they were', () => {
    const { object, unknown } = decode(pod, {
      spec: { containers: [{ name: 'a' }, { name: 'b', foo: 1 }], Hostname: 'x' },
      bar: null,
    })
    expect(object).toEqual({ spec: { containers: [{ name: 'a' }, { name: 'b' }] } })
    expect(unknown).toEqual([
      'unknown field "spec.containers[1].foo"',
      'unknown field "spec.Hostname"',
      'unknown field "bar"',
    ])
  })

  test('names no more than 100 unknown fields', () => {
    const value = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x${at}`, 1]))
    expect(decode(pod, value).unknown.length).toBe(100)
  })

  test('names the way through a map', () => {
    const crd = typeOf('CustomResourceDefinition', 'apiextensions.k8s.io')
    const schema = { openAPIV3Schema: { properties: { spec: { wrong: 1 } } } }
    expect(decode(crd, { spec: { versions: [{ schema }] } }).unknown).toEqual([
      'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.wrong"',
    ])
  })

  test('nulls of fields, and makes those of maps and lists zero values', () => {
    expect(kept(pod, '{"metadata":{"creationTimestamp":null,"labels":{"a":null}},"spec":null}')).toBe(
      '{"metadata":{"labels":{"a":""}}}',
    )
    expect(kept(pod, '{"spec":{"containers":[null,{"args":[null]}]}}')).toBe(
      '{"spec":{"containers":[{},{"args":[""]}]}}',
    )
    expect(kept(secret, '{"data":{"a":null}}')).toBe('{"data":{"a":""}}')
  })
})

describe('decode rewrites', () => {
  test('quantities, from exact numbers too', () => {
    const text = '{"spec":{"hard":{"a":"1024Mi","b":1.50,"c":12345678901234567890,"d":" 01 ","e":0.1,"f":2}}}'
    expect(kept(quota, text)).toBe(
      '{"spec":{"hard":{"a":"1Gi","b":"1500m","c":"12345678901234567890","d":"01","e":"100m","f":"2"}}}',
    )
  })

  test('every quantity as Quantity prints it', () => {
    const number = fc.stringMatching(/^[0-9]{1,4}(\.[0-9])?$/)
    const suffix = fc.constantFrom(...SUFFIXES)
    fc.assert(
      fc.property(number, suffix, (digits, unit) => {
        const { object } = decode(quota, { spec: { hard: { a: digits + unit } } })
        expect(object).toEqual({ spec: { hard: { a: Quantity.parse(digits + unit).toString() } } })
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['2024-01-01T02:00:00+02:00', '2024-01-01T00:00:00Z'],
    ['2024-01-01T00:00:00.999Z', '2024-01-01T00:00:00Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59Z'],
    ['2023-12-31T23:30:00-00:30', '2024-01-01T00:00:00Z'],
  ])('the time %s', (given, written) => {
    expect(kept(pod, JSON.stringify({ metadata: { creationTimestamp: given } }))).toBe(
      JSON.stringify({ metadata: { creationTimestamp: written } }),
    )
  })

  test('the zero time to nothing', () => {
    expect(kept(pod, '{"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}}')).toBe('{"metadata":{}}')
  })

  test('micro times to UTC', () => {
    expect(kept(lease, '{"spec":{"renewTime":"2024-01-01T02:00:00.000120+02:00"}}')).toBe(
      '{"spec":{"renewTime":"2024-01-01T00:00:00.000120Z"}}',
    )
  })

  test('base64 without line breaks and stray bits', () => {
    expect(kept(secret, String.raw`{"data":{"a":"aG\nk=","b":"aGl=","c":"","d":"aA=="}}`)).toBe(
      '{"data":{"a":"aGk=","b":"aGk=","c":"","d":"aA=="}}',
    )
  })

  test('base64 to what Buffer makes of the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(decode(secret, { data: { a: text.replaceAll(/.{3}/g, '$&\r\n') } }).object).toEqual({
          data: { a: text },
        })
      }),
    )
  })
})

describe('decode refuses', () => {
  const into = 'json: cannot unmarshal'
  test.each([
    [
      '{"spec":{"activeDeadlineSeconds":"x"}}',
      `${into} string into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64`,
    ],
    [
      '{"spec":{"activeDeadlineSeconds":1.5}}',
      `${into} number 1.5 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64`,
    ],
    [
      '{"spec":{"activeDeadlineSeconds":1.0}}',
      `${into} number 1.0 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64`,
    ],
    [
      '{"spec":{"activeDeadlineSeconds":9223372036854775808}}',
      `${into} number 9223372036854775808 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64`,
    ],
    [
      '{"spec":{"priority":2147483648}}',
      `${into} number 2147483648 into Go struct field PodSpec.spec.priority of type int32`,
    ],
    ['{"spec":{"hostNetwork":"true"}}', `${into} string into Go struct field PodSpec.spec.hostNetwork of type bool`],
    [
      '{"spec":{"containers":[{"env":[{"value":1}]}]}}',
      `${into} number into Go struct field EnvVar.spec.containers.env.value of type string`,
    ],
    [
      '{"spec":{"containers":{}}}',
      `${into} object into Go struct field PodSpec.spec.containers of type []v1.Container`,
    ],
    [
      '{"metadata":{"labels":{"a":true}}}',
      `${into} bool into Go struct field ObjectMeta.metadata.labels of type string`,
    ],
    [
      '{"metadata":{"labels":[]}}',
      `${into} array into Go struct field ObjectMeta.metadata.labels of type map[string]string`,
    ],
    ['{"spec":1.0}', `${into} number into Go struct field Pod.spec of type v1.PodSpec`],
    ['[]', `${into} array into Go value of type v1.Pod`],
    ['{"metadata":{"creationTimestamp":1}}', `${into} number into Go value of type string`],
    [
      '{"metadata":{"creationTimestamp":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      '{"metadata":{"creationTimestamp":"2024-13-01T00:00:00Z"}}',
      'parsing time "2024-13-01T00:00:00Z": month out of range',
    ],
    [
      '{"metadata":{"creationTimestamp":"2023-02-29T00:00:00Z"}}',
      'parsing time "2023-02-29T00:00:00Z": day out of range',
    ],
    [
      '{"metadata":{"creationTimestamp":"2023-02-01T00:00:00Zx"}}',
      'parsing time "2023-02-01T00:00:00Zx": extra text: "x"',
    ],
    [
      '{"metadata":{"creationTimestamp":"2023-02-01 00:00:00Z"}}',
      'parsing time "2023-02-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
  ])('%s', (text, message) => {
    expect(refused(pod, text)).toBe(message)
  })

  test('a micro time with other than six digits', () => {
    expect(refused(lease, '{"spec":{"renewTime":"2024-01-01T02:00:00Z"}}')).toBe(
      'parsing time "2024-01-01T02:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    )
  })

  test('an int-or-string that is neither', () => {
    const service = typeOf('Service')
    expect(refused(service, '{"spec":{"ports":[{"targetPort":"http"},{"targetPort":8080}]}}')).toBe('no error')
    expect(refused(service, '{"spec":{"ports":[{"targetPort":1.5}]}}')).toBe(
      `${into} number 1.5 into Go value of type int32`,
    )
    expect(refused(service, '{"spec":{"ports":[{"targetPort":true}]}}')).toBe(
      `${into} bool into Go value of type int32`,
    )
  })

  test('an invalid quantity, whatever its type', () => {
    for (const value of ['"abc"', 'true', '{}', '""', '[1]']) {
      expect(refused(quota, `{"spec":{"hard":{"pods":${value}}}}`)).toBe(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      )
    }
  })

  test.each([
    ['aG k=', 2],
    ['aGk', 0],
    ['aGVsbG8', 4],
    ['aG=k', 2],
    ['a===', 1],
    ['aGk=x', 4],
  ])('base64 %j at byte %d', (text, at) => {
    expect(refused(secret, JSON.stringify({ data: { a: text } }))).toBe(`illegal base64 data at input byte ${at}`)
  })

  test('unknown and duplicate fields when strict', () => {
    expect(refused(pod, '{"foo":1,"spec":{"bar":1}}', true)).toBe(
      'strict decoding error: unknown field "foo", unknown field "spec.bar"',
    )
    expect(() => decode(pod, {}, { strict: true, duplicates: ['duplicate field "spec"'] })).toThrow(
      'strict decoding error: duplicate field "spec"',
    )
  })

  test('with the path, for callers that show it otherwise', () => {
    expect(() => decode(pod, { spec: { containers: [{ ports: [{ containerPort: 'x' }] }] } })).toThrow(
      expect.objectContaining({ path: 'spec.containers[0].ports[0].containerPort' }),
    )
  })
})

test('decodeObject answers 400 with the kind and version that the client gave', () => {
  expect(() => decodeObject(quota, { spec: { hard: [] } }, { version: 'v1', kind: 'ResourceQuota' })).toThrow(
    expect.objectContaining({
      status: expect.objectContaining({
        code: 400,
        reason: 'BadRequest',
        message:
          'ResourceQuota in version "v1" cannot be handled as a ResourceQuota: json: cannot unmarshal array into Go struct field ResourceQuotaSpec.spec.hard of type v1.ResourceList',
      }),
    }),
  )
})

test('decoding twice changes nothing more', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  const quantity = fc.constantFrom('1', '1000m', '1.5Gi', '0', '5e3')
  const object = fc.record(
    {
      spec: fc.record(
        { hard: fc.dictionary(fc.string(), quantity), scopes: fc.array(fc.string()), extra: leaf },
        { requiredKeys: [] },
      ),
      metadata: fc.record(
        { name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()), x: leaf },
        { requiredKeys: [] },
      ),
      kind: fc.string(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(object, (value) => {
      const once = decode(quota, value).object
      expect(decode(quota, once)).toEqual({ object: once, unknown: [] })
      expect(decode(quota, once).object).toBe(once)
    }),
  )
})

test('an object holds a bounded number of amounts in all its lists of resources', () => {
  const amounts = (count: number): unknown =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/${index}`, '1']))
  const code = (...counts: readonly number[]): number | undefined => {
    const containers = counts.map((count, index) => ({ name: `c${index}`, resources: { limits: amounts(count) } }))
    try {
      decode(pod, { spec: { containers } })
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error.status.code
      throw error
    }
  }
  expect([code(MOST_AMOUNTS), code(MOST_AMOUNTS + 1), code(MOST_AMOUNTS - 1, 2)]).toEqual([undefined, 413, 413])
})
