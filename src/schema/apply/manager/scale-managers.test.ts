import { expect, test } from 'vitest'
import type { JsonObject } from '../../../machinery/object.ts'
import { fieldSet } from '../field/field-set.ts'
import { managersOfScale, managersOfScaled } from './scale-managers.ts'

const REPLICAS = fieldSet(['spec', 'replicas'])
const scaled = { apiVersion: 'apps/v1', paths: new Map([['apps/v1', REPLICAS]]) }
const entry = (manager: string, operation: string, fieldsV1: unknown, more: object = {}): JsonObject => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})
const replicas = { 'f:spec': { 'f:replicas': {} } }
const time = { time: '2020-01-01T00:00:00Z' }

test('only the owner of the replicas manages the scale, under its version', () => {
  const both = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }
  const entries = [entry('a', 'Apply', both, time), entry('b', 'Update', { 'f:spec': { 'f:paused': {} } })]
  expect(managersOfScale(entries, scaled)).toEqual([
    entry('a', 'Apply', replicas, { ...time, apiVersion: 'autoscaling/v1' }),
  ])
})

test('a scale takes the replicas from their owner, who keeps the rest', () => {
  const owner = entry('a', 'Apply', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }, time)
  const scale = entry('s', 'Update', replicas, { ...time, apiVersion: 'autoscaling/v1', subresource: 'scale' })
  expect(managersOfScaled([owner], [scale], scaled)).toEqual([
    entry('a', 'Apply', { 'f:spec': { 'f:paused': {} } }, time),
    entry('s', 'Update', replicas, { subresource: 'scale' }),
  ])
})

test('a manager that owned only the replicas is removed, and one that still applies them stays as it was', () => {
  const entries = [entry('a', 'Apply', replicas, time), entry('b', 'Apply', replicas, time)]
  const scale = [entry('a', 'Apply', replicas, { ...time, apiVersion: 'autoscaling/v1' })]
  expect(managersOfScaled(entries, scale, scaled)).toEqual([entries[0]])
})

test('entries of versions that are served no more are dropped, and those without a scale are kept', () => {
  const paths = new Map([
    ['apps/v1', REPLICAS],
    ['apps/v2', undefined],
  ])
  const entries = [
    entry('a', 'Apply', replicas, { apiVersion: 'apps/v0' }),
    entry('b', 'Apply', replicas, { apiVersion: 'apps/v2' }),
  ]
  expect(managersOfScaled(entries, [], { apiVersion: 'apps/v1', paths })).toEqual([entries[1]])
})
