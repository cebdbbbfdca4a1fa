import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type InProcess, startInProcess } from '../../in-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const BOATS = '/apis/quay.test/v1/namespaces/default/boats'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

const spec = {
  type: 'object',
  required: ['length'],
  properties: {
    length: { type: 'integer', minimum: 1, maximum: 400 },
    beam: { type: 'integer' },
    flag: { type: 'string', default: 'none', enum: ['none', 'red', 'blue'] },
    berths: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, guests: { type: 'integer' } },
      },
    },
    owner: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'a boat keeps its owner' }],
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.beam) || self.beam <= self.length',
      messageExpression: "'a boat under flag ' + self.flag + ' is too wide'",
      fieldPath: '.beam',
    },
  ],
}

const definition = (schema: object, plural = 'boats', kind = 'Boat'): object => ({
  metadata: { name: `${plural}.quay.test` },
  spec: {
    group: 'quay.test',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
    ],
  },
})

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
  const schema = {
    type: 'object',
    properties: { spec, status: { type: 'object', properties: { afloat: { type: 'boolean' } } } },
  }
  const { status, body } = await server.send('POST', DEFINITIONS, definition(schema))
  if (status !== 201) throw new Error(JSON.stringify(body))
})
afterAll(() => server.stop())

const boat = (name: string, more: object): object => ({
  apiVersion: 'quay.test/v1',
  kind: 'Boat',
  metadata: { name },
  spec: more,
})
const create = (name: string, more: object, query = ''): Promise<Answer> =>
  server.send('POST', `${BOATS}${query}`, boat(name, more))

describe('a custom resource', () => {
  test('is pruned and defaulted, with a warning for what is not known', async () => {
    const { status, body, headers } = await create('plain', { length: 9, sails: 2 })
    expect([status, body.spec]).toEqual([201, { length: 9, flag: 'none' }])
    expect(headers.get('warning')).toBe('299 - "unknown field \\"spec.sails\\""')
    const strict = await create('strict', { length: 9, sails: 2 }, '?fieldValidation=Strict')
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Boat in version "v1" cannot be handled as a Boat: strict decoding error: unknown field "spec.sails"',
    ])
  })

  test('is held to its schema, all mistakes reported at once', async () => {
    const { status, body } = await create('wrong', { length: 1000, flag: 'green' })
    expect([status, body.message]).toEqual([
      422,
      'Boat.quay.test "wrong" is invalid: [spec.length: Invalid value: 1000: spec.length in body should be less than or equal to 400, spec.flag: Unsupported value: "green": supported values: "none", "red", "blue", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ])
    expect((await create('empty', {})).body.message).toContain('spec.length: Required value')
  })

  test('is held to its rules, in the words that they make', async () => {
    const { body } = await create('wide', { length: 3, beam: 5 })
    expect(body.message).toBe(
      'Boat.quay.test "wide" is invalid: spec.beam: Invalid value: a boat under flag none is too wide',
    )
  })

  test('is held to transition rules when it changes', async () => {
    await create('owned', { length: 3, owner: 'ada' })
    const sold = await server.send('PATCH', `${BOATS}/owned`, { spec: { owner: 'bob' } }, MERGE)
    expect(sold.body.message).toContain('a boat keeps its owner')
    expect((await server.send('PATCH', `${BOATS}/owned`, { spec: { length: 4 } }, MERGE)).status).toBe(200)
  })

  test('is applied by its list keys, and conflicts are reported', async () => {
    const apply = (manager: string, more: object): Promise<Answer> =>
      server.send('PATCH', `${BOATS}/shared?fieldManager=${manager}`, boat('shared', more), APPLY)
    expect((await apply('one', { length: 5, berths: [{ name: 'a', guests: 1 }] })).status).toBe(201)
    const { body } = await apply('two', { length: 5, berths: [{ name: 'b', guests: 2 }] })
    expect(body.spec.berths).toEqual([
      { name: 'a', guests: 1 },
      { name: 'b', guests: 2 },
    ])
    const conflict = await apply('three', { length: 6 })
    expect([conflict.status, conflict.body.reason]).toEqual([409, 'Conflict'])
    expect(conflict.body.message).toMatch(/^Apply failed with 2 conflicts: /)
    expect((await apply('two', { length: 5 })).body.spec.berths).toEqual([{ name: 'a', guests: 1 }])
  })
})

describe('a definition', () => {
  test.each([
    [
      'whose schema is not structural',
      { type: 'object', properties: { a: {} } },
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ],
    [
      'whose rule does not compile',
      {
        type: 'object',
        properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.nothing == 1' }] } },
      },
      'x-kubernetes-validations[0].rule: Invalid value: ',
    ],
  ])('%s is refused', async (_what, schema, complaint) => {
    const { status, body } = await server.send('POST', DEFINITIONS, definition(schema, 'rafts', 'Raft'))
    expect([status, body.message]).toEqual([422, expect.stringContaining(complaint)])
  })
})
