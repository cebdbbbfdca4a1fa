import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { FIELD_SENTENCES } from '../../src/apiserver/openapi/field-sentences.ts'
import { eventually } from '../eventually.ts'
import { hasKubectl, session } from './kubectl.ts'

const { allot, inNamespace } = session()
const CAPSULE = 'apis/capsule.clastix.io/v1beta2'
const OPENMCP = 'apis/openmcp.cloud/v1alpha1'
const KARMADA = 'apis/quota.karmada.io/v1alpha1'
const KINDS = [
  ['api/v1', 'io.k8s.api.core.v1.ResourceQuota'],
  ['api/v1', 'io.k8s.api.core.v1.LimitRange'],
  ['apis/scheduling.k8s.io/v1', 'io.k8s.api.scheduling.v1.PriorityClass'],
  [CAPSULE, 'io.clastix.capsule.v1beta2.ResourcePool'],
  [CAPSULE, 'io.clastix.capsule.v1beta2.ResourcePoolClaim'],
  [CAPSULE, 'io.clastix.capsule.v1beta2.CustomQuota'],
  [CAPSULE, 'io.clastix.capsule.v1beta2.GlobalCustomQuota'],
  [CAPSULE, 'io.clastix.capsule.v1beta2.QuantityLedger'],
  [OPENMCP, 'cloud.openmcp.v1alpha1.QuotaIncrease'],
  [OPENMCP, 'cloud.openmcp.v1alpha1.QuotaServiceConfig'],
  [KARMADA, 'io.karmada.quota.v1alpha1.KarmadaQuota'],
] as const

async function schemasOf(path: string): Promise<JsonObject> {
  const { text } = await allot().call(`/openapi/v3/${path}`)
  return JSON.parse(text).components.schemas
}

const MANIFESTS = new URL('../../config/crd/', import.meta.url)

/** The definitions that the operator installs. */
beforeAll(async () => {
  for (const file of readdirSync(MANIFESTS)) {
    const body = parse(readFileSync(new URL(file, MANIFESTS), 'utf8'))
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await allot().call(path, { method: 'POST', body })
    const { group, names, versions } = body.spec
    await eventually(
      () => allot().call(`/apis/${group}/${versions[0].name}/${names.plural}`),
      ({ status }) => status === 200,
      { what: file },
    )
  }
})

const REFERENCE = '#/components/schemas/'

/** The paths of all fields, each with whether a sentence says what it is. */
function* fields(
  schemas: JsonObject,
  schema: unknown,
  path: string,
  within: readonly string[],
): Generator<readonly [string, boolean]> {
  if (!isObject(schema)) return
  const refs = [schema, ...(Array.isArray(schema['allOf']) ? schema['allOf'] : [])].flatMap(({ $ref }) =>
    typeof $ref === 'string' ? [$ref.slice(REFERENCE.length)] : [],
  )
  for (const ref of refs) if (!within.includes(ref)) yield* fields(schemas, schemas[ref], path, [...within, ref])
  for (const [name, child] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    const description = isObject(child) ? child['description'] : undefined
    yield [`${path}.${name}`, typeof description === 'string' && /[.)`]$/.test(description.trim())]
    yield* fields(schemas, child, `${path}.${name}`, within)
  }
  yield* fields(schemas, schema['items'], path, within)
  yield* fields(schemas, schema['additionalProperties'], path, within)
}

describe('the fields that clients explain', () => {
  test('every kind that the operator installs is among them', () => {
    const installed = readdirSync(MANIFESTS).map((file) => parse(readFileSync(new URL(file, MANIFESTS), 'utf8')).spec)
    const types = installed.map(({ group, names, versions }) =>
      [...group.split('.').toReversed(), versions[0].name, names.kind].join('.'),
    )
    expect(KINDS.map(([, type]) => type)).toEqual(expect.arrayContaining(types))
  })

  test.each(KINDS)('%s %s says a sentence for every field', async (path, type) => {
    const schemas = await schemasOf(path)
    expect(Object.keys(schemas)).toContain(type)
    const all = [...fields(schemas, schemas[type], '', [])]
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(([, isSaid]) => !isSaid).map(([field]) => field)).toEqual([])
    expect(schemas[type]).toHaveProperty('description', expect.stringMatching(/\.$/))
  })

  test('every sentence is about a field that there is', async () => {
    const schemas = { ...(await schemasOf('api/v1')), ...(await schemasOf('apis/scheduling.k8s.io/v1')) }
    for (const [type, { fields: said }] of Object.entries(FIELD_SENTENCES)) {
      const { properties } = schemas[type] as JsonObject
      expect(Object.keys(isObject(properties) ? properties : {}), type).toEqual(
        expect.arrayContaining(Object.keys(said)),
      )
    }
  })

  test('every other type of Kubernetes says where that describes it', async () => {
    const schemas = await schemasOf('apis/rbac.authorization.k8s.io/v1')
    expect(schemas['io.k8s.api.rbac.v1.PolicyRule']).toHaveProperty(
      'description',
      expect.stringMatching(/^Kubernetes describes this type: https:\/\/\S+#policyrule-v1-rbac-authorization-k8s-io$/),
    )
    const types = Object.entries(schemas).filter(([name]) => name.startsWith('io.k8s.api.'))
    for (const [name, schema] of types) expect(schema, name).toHaveProperty('description')
  })

  test.runIf(hasKubectl).each([
    ['resourcequota.spec.hard', 'The most that may be used of each resource'],
    ['limitrange.spec.limits.defaultRequest', 'The requests of a container that sets none.'],
    ['priorityclass.metadata.labels', 'Keys and values by which objects are selected.'],
    ['karmadaquota.spec.hard', 'The most of each named resource that may be used.'],
    ['resourcepool.apiVersion', 'The API group and version'],
    ['pod.spec', 'Kubernetes describes this type:'],
  ])('kubectl explain %s', async (path, sentence) => {
    const text = await inNamespace('default').ok('explain', path)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(sentence)
  })
})
