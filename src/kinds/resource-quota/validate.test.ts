import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { body, type FieldError } from '../../machinery/field-error.ts'
import type { ObjectMeta } from '../../machinery/object.ts'
import { resourceQuotaWarnings } from './warnings.ts'
import { isResourceQuota, type ResourceQuota, type ResourceQuotaSpec } from './resource-quota.ts'
import {
  validateResourceQuota,
  validateResourceQuotaSpec,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from './validate.ts'

const FILE = 'kubernetes/quota-validation.json'

interface Expected {
  readonly field: string
  readonly message: string
  readonly type: string
}

interface Vectors {
  readonly spec: readonly { name: string; spec: ResourceQuotaSpec; observedErrors_1_35: readonly Expected[] }[]
  readonly updateScopes: readonly {
    name: string
    oldScopes: string[]
    newScopes: string[]
    observedErrors: readonly Expected[]
  }[]
  readonly metadata: readonly { name: string; metadata: ObjectMeta; expect: readonly Expected[] }[]
  readonly warningsOnCreate: readonly { name: string; hard: Record<string, string>; warnings: readonly string[] }[]
}

const data = vectors<Vectors>(FILE)

function quota(
  spec: ResourceQuotaSpec | undefined,
  metadata: ObjectMeta = { name: 'q', namespace: 'ns' },
): ResourceQuota {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, ...(spec === undefined ? {} : { spec }) }
}

function causes(errors: readonly FieldError[]): Expected[] {
  return errors.map((error) => ({ field: error.path, message: body(error), type: error.code })).toSorted(byText)
}

function byText(a: Expected, b: Expected): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

const sorted = (errors: readonly Expected[]): Expected[] =>
  errors.map(({ field, message, type }) => ({ field, message, type })).toSorted(byText)

const name = (value: { name: string }): string => value.name

eachCase(`${FILE}#spec`, data.spec, name, (value) => {
  expect(causes(validateResourceQuotaSpec(value.spec))).toEqual(sorted(value.observedErrors_1_35))
})

eachCase(`${FILE}#updateScopes`, data.updateScopes, name, (value) => {
  const errors = validateResourceQuotaUpdate(quota({ scopes: value.newScopes }), quota({ scopes: value.oldScopes }))
  expect(causes(errors)).toEqual(sorted(value.observedErrors))
})

eachCase(`${FILE}#metadata`, data.metadata, name, (value) => {
  expect(causes(validateResourceQuota(quota({ hard: { pods: '1' } }, value.metadata)))).toEqual(sorted(value.expect))
})

eachCase(`${FILE}#warningsOnCreate`, data.warningsOnCreate, name, (value) => {
  expect(resourceQuotaWarnings(quota({ hard: value.hard }))).toEqual(value.warnings)
})

test('errors come in the order of the names, so that answers do not change from call to call', () => {
  const errors = validateResourceQuotaSpec({ hard: { secrets: '-1', cpu: '-1', pods: '1500m' } })
  expect(errors.map((error) => error.path)).toEqual(['spec.hard[cpu]', 'spec.hard[pods]', 'spec.hard[secrets]'])
})

test('the scope selector and the limits of a quota may change', () => {
  const selector = { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] }
  expect(
    validateResourceQuotaUpdate(
      quota({ hard: { pods: '2' }, scopeSelector: selector }),
      quota({ hard: { pods: '1' } }),
    ),
  ).toEqual([])
})

test('a quota without a spec is valid', () => {
  expect(validateResourceQuota(quota(undefined))).toEqual([])
})

test('a status needs a resourceVersion and is checked like the limits', () => {
  const status = { hard: { foo: '1' }, used: { pods: '-1' } }
  const errors = validateResourceQuotaStatusUpdate({ ...quota({}), status })
  expect(errors.map((error) => error.path)).toEqual([
    'resourceVersion',
    'status.hard[foo]',
    'status.hard[foo]',
    'status.used[pods]',
  ])
})

test('an amount that is not a quantity is an error of its field', () => {
  expect(validateResourceQuotaSpec({ hard: { pods: 'many' } }).map((error) => error.path)).toEqual(['spec.hard[pods]'])
})

test('conflicting scopes in a selector are reported with the scopes of the spec as the value', () => {
  const matchExpressions = ['Terminating', 'NotTerminating'].map((scopeName) => ({ scopeName, operator: 'Exists' }))
  expect(causes(validateResourceQuotaSpec({ scopeSelector: { matchExpressions } }))).toEqual([
    {
      field: 'spec.scopeSelector.matchExpressions',
      message: 'Invalid value: null: conflicting scopes',
      type: 'FieldValueInvalid',
    },
  ])
})

test('only v1 ResourceQuotas are taken for one', () => {
  expect(isResourceQuota(quota({}))).toBe(true)
  expect(isResourceQuota({ ...quota({}), kind: 'CustomQuota' })).toBe(false)
})
