import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { type StatusManager, withStatusOf } from './status-managers.ts'

const file = new URL('../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { readonly definitions: SchemaDefinitions }
const type = compileSchema(definitions).type('io.k8s.api.core.v1.ResourceQuota')

const hard = { pods: '2', secrets: '3' }
const MADE = '2026-01-01T00:00:00Z'
const at = (second: number): string => `2026-01-01T00:00:0${second}Z`
const creator = {
  manager: 'me',
  operation: 'Update',
  apiVersion: 'v1',
  time: MADE,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:hard': { '.': {}, 'f:pods': {}, 'f:secrets': {} } } },
}
const made: ResourceQuota = {
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name: 'q', namespace: 'n', managedFields: [creator] },
  spec: { hard },
}
const write = (
  quota: ResourceQuota,
  manager: StatusManager,
  used: Record<string, string>,
  second: number,
): ResourceQuota => withStatusOf(type, quota, { hard: quota.status?.hard ?? hard, used }, manager, at(second))
const shown = ({ metadata }: ResourceQuota): readonly string[] =>
  (metadata.managedFields ?? []).map((one) => {
    const { 'f:status': status } = one['fieldsV1'] as { readonly 'f:status'?: object }
    return `${String(one['manager'])} ${String(one['subresource'])} ${String(one['time']).slice(-3)} ${JSON.stringify(status)}`
  })

const counted = write(made, 'kube-controller-manager', { pods: '0', secrets: '0' }, 1)

test('the manager that counts owns the status, and the one that charges owns the amounts that it charged since', () => {
  expect(shown(counted)[1]).toBe(
    'kube-controller-manager status 01Z {"f:hard":{".":{},"f:pods":{},"f:secrets":{}},"f:used":{".":{},"f:pods":{},"f:secrets":{}}}',
  )
  const charged = write(counted, 'kube-apiserver', { pods: '1', secrets: '0' }, 2)
  expect(shown(charged).slice(1)).toEqual([
    'kube-controller-manager status 01Z {"f:hard":{".":{},"f:pods":{},"f:secrets":{}},"f:used":{".":{},"f:secrets":{}}}',
    'kube-apiserver status 02Z {"f:used":{"f:pods":{}}}',
  ])
  expect(charged.metadata.managedFields?.[0]).toEqual(creator)
})

test('a further charge of the same resource changes nothing but a time', () => {
  const charged = write(counted, 'kube-apiserver', { pods: '1', secrets: '0' }, 2)
  const again = write(charged, 'kube-apiserver', { pods: '2', secrets: '0' }, 2)
  expect(again.metadata.managedFields).toBe(charged.metadata.managedFields)
  const later = write(charged, 'kube-apiserver', { pods: '2', secrets: '0' }, 3)
  expect(shown(later).at(-1)).toBe('kube-apiserver status 03Z {"f:used":{"f:pods":{}}}')
  expect(shown(later).slice(0, -1)).toEqual(shown(charged).slice(0, -1))
})

test('a charge of another resource, and a new count, move what changed', () => {
  const charged = write(counted, 'kube-apiserver', { pods: '1', secrets: '0' }, 2)
  const other = write(charged, 'kube-apiserver', { pods: '1', secrets: '1' }, 3)
  expect(shown(other).at(-1)).toBe('kube-apiserver status 03Z {"f:used":{"f:pods":{},"f:secrets":{}}}')
  const recounted = write(other, 'kube-controller-manager', { pods: '0', secrets: '1' }, 4)
  expect(shown(recounted).slice(1)).toEqual([
    'kube-apiserver status 03Z {"f:used":{"f:secrets":{}}}',
    'kube-controller-manager status 04Z {"f:hard":{".":{},"f:pods":{},"f:secrets":{}},"f:used":{".":{},"f:pods":{}}}',
  ])
})

test('a quota whose managers were forgotten stays without', () => {
  const { managedFields: _forgotten, ...metadata } = made.metadata
  expect(write({ ...made, metadata }, 'kube-apiserver', { pods: '1' }, 1).metadata).toEqual(metadata)
})
