import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileSchema, type SchemaDefinitions } from './compile.ts'
import type { Field, ObjectType } from './type.ts'

const file = new URL('../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const definitions = (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions
const schemas = compileSchema(definitions)
const struct = (name: string): ObjectType => schemas.type(name) as ObjectType
const field = (name: string, at: string): Field => struct(name).fields.get(at)!

describe('compileSchema', () => {
  test('compiles every definition, cycles included', () => {
    for (const name of Object.keys(definitions)) expect(schemas.type(name).goType).not.toBe('')
    const props = struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')
    expect(props.fields.get('not')!.type).toBe(props)
  })

  test('finds kinds by group, version and kind', () => {
    expect(schemas.typeOf({ group: '', version: 'v1', kind: 'Pod' })).toBe(schemas.type('io.k8s.api.core.v1.Pod'))
    expect(schemas.typeOf({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.struct).toBe('DeleteOptions')
    expect(schemas.typeOf({ group: 'apps', version: 'v1', kind: 'Pod' })).toBeUndefined()
  })

  test('refuses a name that the data does not have', () => {
    expect(() => schemas.type('nothing')).toThrow('no definition is named nothing')
  })

  test('puts kind, apiVersion and metadata before the other fields', () => {
    expect([...struct('io.k8s.api.core.v1.Pod').fields.keys()]).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'spec',
      'status',
    ])
  })

  test('knows the types that marshal themselves', () => {
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
    expect(field(meta, 'creationTimestamp').type.kind).toBe('time')
    expect(field('io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry', 'fieldsV1').type.kind).toBe('any')
    expect(field('io.k8s.api.coordination.v1.LeaseSpec', 'renewTime').type.kind).toBe('microTime')
    expect(field('io.k8s.api.core.v1.ServicePort', 'targetPort').type.kind).toBe('intOrString')
    expect(field('io.k8s.api.core.v1.Secret', 'data').type).toMatchObject({ kind: 'map', values: { kind: 'bytes' } })
    expect(field('io.k8s.api.core.v1.ResourceQuotaSpec', 'hard').type).toMatchObject({
      kind: 'map',
      goType: 'v1.ResourceList',
      values: { kind: 'quantity' },
    })
    expect(field('io.k8s.api.apps.v1.ControllerRevision', 'data').type.kind).toBe('any')
  })

  test('carries list types and patch strategies', () => {
    const containers = field('io.k8s.api.core.v1.PodSpec', 'containers')
    expect(containers).toMatchObject({ required: true, patch: { merge: true, mergeKey: 'name' } })
    expect(containers.type).toMatchObject({ kind: 'list', goType: '[]v1.Container', listType: 'map', keys: ['name'] })
    expect(field('io.k8s.api.core.v1.PodSpec', 'volumes').patch).toMatchObject({ merge: true, retainKeys: true })
    expect(field('io.k8s.api.apps.v1.DeploymentSpec', 'strategy').patch).toMatchObject({
      merge: false,
      retainKeys: true,
    })
    expect(field('io.k8s.api.policy.v1.PodDisruptionBudgetSpec', 'selector').patch.replace).toBe(true)
    expect(field('io.k8s.api.core.v1.PodSpec', 'tolerations').type).toMatchObject({ listType: 'atomic', keys: [] })
  })

  test('knows what is atomic, also where a field refers to an atomic type', () => {
    expect(field('io.k8s.api.core.v1.PersistentVolumeSpec', 'claimRef').type).toMatchObject({ atomic: false })
    expect(field('io.k8s.api.core.v1.StorageOSPersistentVolumeSource', 'secretRef').type).toMatchObject({
      atomic: true,
    })
    expect(field('io.k8s.api.core.v1.PodSpec', 'nodeSelector').type).toMatchObject({ atomic: true })
    expect(field('io.k8s.api.core.v1.Pod', 'spec').type).toMatchObject({ atomic: false })
  })

  test('compiles a schema that stands alone', () => {
    const type = schemas.inline({
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        bag: { type: 'object', additionalProperties: true },
        meta: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      },
    }) as ObjectType
    const kinds = [...type.fields.values()].map((one) => one.type.kind)
    expect(kinds).toEqual(['intOrString', 'any', 'map', 'object'])
  })
})
