import { describe, expect, test } from 'vitest'
import { sentence } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { validateCrd, validateCrdUpdate } from './crd-validation.ts'

const SCHEMA = { openAPIV3Schema: { type: 'object' } }
const version = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: SCHEMA,
  ...more,
})
const crd = (versions: readonly JsonObject[], more: JsonObject = {}, stored = ['v1']): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.a.test' },
  spec: {
    group: 'a.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions,
    ...more,
  },
  status: {
    storedVersions: stored,
    conditions: [{ type: 'Established', status: 'True' }],
  },
})
const problems = (versions: readonly JsonObject[], more?: JsonObject): readonly string[] =>
  validateCrd(crd(versions, more)).map(sentence)
const broken = { openAPIV3Schema: { type: 'object', properties: { a: {} } } }

describe('a schema that all versions share', () => {
  test('is complained of once, at the top', () => {
    expect(problems([version('v1', { schema: broken }), version('v2', { schema: broken })])).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ])
  })

  test('and else by version', () => {
    expect(problems([version('v1'), version('v2', { schema: broken })])).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ])
  })

  test('holds for columns and subresources too', () => {
    const more = {
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }],
      subresources: { scale: {} },
    }
    expect(problems([version('v1', more)])).toEqual([
      'spec.subresources.scale.specReplicasPath: Required value',
      'spec.subresources.scale.statusReplicasPath: Required value',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
    ])
  })
})

test('selectable fields are scalars of the schema, each named once, and not too many', () => {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } } },
    },
  }
  const paths = ['.spec.a', '.spec.b', '.spec.c', '.spec.a', '.spec.a[0]', '']
  const selectableFields = paths.map((jsonPath) => ({ jsonPath }))
  expect(problems([version('v1', { schema, selectableFields })])).toEqual([
    'spec.selectableFields[1].jsonPath: Invalid value: ".spec.b": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    'spec.selectableFields[2].jsonPath: Invalid value: ".spec.c": is an invalid path: does not refer to a valid field',
    'spec.selectableFields[3].jsonPath: Duplicate value: ".spec.a"',
    expect.stringContaining('spec.selectableFields[4].jsonPath: Invalid value: ".spec.a[0]": is an invalid path: '),
    'spec.selectableFields[5].jsonPath: Required value',
  ])
})

test('a version that objects are stored in stays', () => {
  const old = crd([version('v1')])
  const next = crd([version('v2', { storage: true })], {}, ['v1', 'v2'])
  expect(validateCrdUpdate(next, old).map(sentence)).toEqual([
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
  ])
})

test('the storage names of an established CRD do not change, and its name never does', () => {
  const next = crd([version('v1')], {
    scope: 'Cluster',
    group: 'b.test',
    names: { plural: 'stones', singular: 'widget', kind: 'Stone', listKind: 'WidgetList' },
  })
  const old = crd([version('v1')])
  expect(validateCrdUpdate(next, old).map(({ path }) => path)).toEqual([
    'spec.scope',
    'spec.names.kind',
    'spec.group',
    'spec.names.plural',
  ])
  expect(validateCrdUpdate(next, { ...old, status: {} } as KubeObject).map(({ path }) => path)).toEqual([
    'spec.group',
    'spec.names.plural',
  ])
})

test.each([
  [undefined, 'Required value: protected groups must have approval annotation'],
  ['yes', 'Invalid value: "yes": protected groups must have approval annotation'],
  ['https://github.com/kubernetes/kubernetes/pull/1', undefined],
  ['unapproved, for trying out', undefined],
])('a CRD in a group of the community with the approval %s', (approval, problem) => {
  const made = crd([version('v1')], { group: 'a.k8s.io' })
  const metadata = {
    name: 'widgets.a.k8s.io',
    ...(approval === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': approval } }),
  }
  const errors = validateCrd({ ...made, metadata }).map(sentence)
  expect(errors).toEqual(
    problem === undefined
      ? []
      : [expect.stringContaining(`metadata.annotations[api-approved.kubernetes.io]: ${problem}`)],
  )
})

describe('defaults', () => {
  const ruled = (schema: JsonObject, rule: string, more: JsonObject = {}): JsonObject => ({
    ...schema,
    'x-kubernetes-validations': [{ rule, ...more }],
  })
  const withSchema = (openAPIV3Schema: JsonObject) => [version('v1', { schema: { openAPIV3Schema } })]
  const AT = 'spec.validation.openAPIV3Schema'

  test('are held against the rules of their schema and of those below', () => {
    const low = ruled({ type: 'integer', default: 1 }, 'self > 3', { message: 'too low' })
    const below = { type: 'object', default: { low: 2 }, properties: { low: { ...low, default: 5 } } }
    expect(problems(withSchema({ type: 'object', properties: { low, below } }))).toEqual([
      `${AT}.properties[low].default: Invalid value: 1: too low`,
      `${AT}.properties[below].default.low: Invalid value: 2: too low`,
    ])
  })

  test('that rules allow are taken, also where they compare with the old value', () => {
    const high = ruled({ type: 'integer', default: 5 }, 'self > 3 && self == oldSelf')
    expect(problems(withSchema({ type: 'object', properties: { high } }))).toEqual([])
  })

  test('are not held against rules when they are wrong otherwise', () => {
    const low = ruled({ type: 'integer', maximum: 0, default: 1 }, 'self > 3')
    expect(problems(withSchema({ type: 'object', properties: { low } }))).toEqual([
      `${AT}.properties[low].default: Invalid value: 1:  in body should be less than or equal to 0`,
    ])
  })
})
