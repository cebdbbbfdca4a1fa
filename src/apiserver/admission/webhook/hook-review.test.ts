import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Type } from '../../../schema/type/type.ts'
import { HookCallError } from './hook-reply.ts'
import { readAnswer } from './hook-review.ts'
import { REVIEW_TYPES } from './review-type.ts'

/** A value that a Go type does not take, for each kind of type. */
const WRONG: Readonly<Record<string, unknown>> = {
  string: 5,
  boolean: 'yes',
  int32: 2 ** 31,
  int64: 1.5,
  bytes: 7,
  list: {},
  map: [],
  object: 'text',
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly type: Type
}

function placesOf(type: Type, path: Place['path'] = []): readonly Place[] {
  const below =
    type.kind === 'object'
      ? [...type.fields].flatMap(([name, field]) => placesOf(field.type, [...path, name]))
      : type.kind === 'list'
        ? placesOf(type.items, [...path, 0])
        : type.kind === 'map'
          ? placesOf(type.values, [...path, 'key'])
          : []
  return [{ path, type }, ...below]
}

const at = ([first, ...rest]: Place['path'], value: unknown): unknown =>
  first === undefined ? value : first === 0 ? [at(rest, value)] : { [first]: at(rest, value) }

const merged = (a: unknown, b: unknown): unknown =>
  typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && !Array.isArray(a) && !Array.isArray(b)
    ? Object.fromEntries(
        [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => {
          const [one, other] = [(a as JsonObject)[name], (b as JsonObject)[name]]
          return [name, one === undefined ? other : other === undefined ? one : merged(one, other)]
        }),
      )
    : b

const read = (version: string, answer: unknown, mutating = false) =>
  readAnswer(
    { code: 200, type: 'application/json', text: JSON.stringify(answer) },
    { apiVersion: version, kind: 'AdmissionReview', request: { uid: 'u' } },
    mutating,
  )

const sound = (apiVersion: string): JsonObject => ({
  apiVersion,
  kind: 'AdmissionReview',
  response: { uid: 'u', allowed: true },
})

describe.each([...REVIEW_TYPES])('an answer in %s', (version, type) => {
  const places = placesOf(type).filter(
    ({ path, type: { kind } }) => kind !== 'any' && !['kind', 'apiVersion', undefined].includes(path[0] as string),
  )

  test('with a wrong type anywhere is not taken', () => {
    expect(places.length).toBeGreaterThan(60)
    for (const { path, type: expected } of places) {
      const wrong = WRONG[expected.kind]
      expect(wrong, expected.kind).toBeDefined()
      const answer = merged(sound(version), at(path, wrong))
      expect(() => read(version, answer), path.join('.')).toThrow(HookCallError)
      expect(() => read(version, answer), path.join('.')).toThrow(
        /^json: cannot unmarshal \w+( \S+)? into Go struct field /,
      )
    }
  })

  test('with null anywhere is taken as if it were not there', () => {
    for (const { path } of places.filter(({ path: [first, second] }) => first !== 'response' || second !== undefined)) {
      if (path.includes('uid') || path.includes('allowed')) continue
      expect(read(version, merged(sound(version), at(path, null))).allowed, path.join('.')).toBe(true)
    }
  })
})

test.each([
  ['warnings', 'x', 'string into Go struct field AdmissionResponse.response.warnings of type []string'],
  ['warnings', ['x', 1], 'number into Go struct field AdmissionResponse.response.warnings of type string'],
  [
    'auditAnnotations',
    { a: 1 },
    'number into Go struct field AdmissionResponse.response.auditAnnotations of type string',
  ],
  ['status', [], 'array into Go struct field AdmissionResponse.response.status of type v1.Status'],
  ['status', { code: '403' }, 'string into Go struct field Status.response.status.code of type int32'],
  ['status', { code: 2 ** 31 }, 'number 2147483648 into Go struct field Status.response.status.code of type int32'],
  ['status', { code: 403.5 }, 'number 403.5 into Go struct field Status.response.status.code of type int32'],
  ['status', { message: {} }, 'object into Go struct field Status.response.status.message of type string'],
  ['status', { reason: 5 }, 'number into Go struct field Status.response.status.reason of type v1.StatusReason'],
  ['patchType', 5, 'number into Go struct field AdmissionResponse.response.patchType of type v1.PatchType'],
])('an answer whose %s is %j is reported in the words of Go', (field, value, message) => {
  const answer = merged(sound('admission.k8s.io/v1'), { response: { [field]: value } })
  expect(() => read('admission.k8s.io/v1', answer)).toThrow(`json: cannot unmarshal ${message}`)
})

test('the older version takes every patch for a JSON patch, whatever type it names', () => {
  const version = 'admission.k8s.io/v1beta1'
  const answer = merged(sound(version), { response: { patch: 'W10=', patchType: 'MergePatch' } })
  expect(read(version, answer, true).patch).toEqual({ text: '[]', type: 'JSONPatch' })
})
