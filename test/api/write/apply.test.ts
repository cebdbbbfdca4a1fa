import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, MERGE, pod } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

const APPLY = { 'content-type': 'application/apply-patch+yaml' } as const
const apply = (path: string, body: unknown, query = ''): Promise<Answer> =>
  api.send('PATCH', `${ns}/${path}?fieldManager=me${query}`, body, APPLY)
const config = (name: string, rest: object = { data: { k: 'v' } }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...rest,
})
const owners = (object: Answer['body']): readonly unknown[] =>
  (object.metadata.managedFields ?? []).map((one: Record<string, unknown>) =>
    [one['manager'], one['operation'], one['subresource'], JSON.stringify(one['fieldsV1'])].join(' '),
  )

describe('the body of an apply', () => {
  test('may name a version where there is no object yet', async () => {
    const { status, body } = await apply('configmaps/based', {
      ...config('based'),
      metadata: { name: 'based', resourceVersion: '1' },
    })
    expect([status, body.metadata?.resourceVersion === '1']).toEqual([201, false])
  })

  test.each([
    [
      'a:\n\tb: 1\n',
      'error decoding YAML: error converting YAML to JSON: yaml: line 2: found character that cannot start any token',
    ],
    [
      '[]',
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['', 'invalid object type: /, Kind='],
    [{ ...config('a'), apiVersion: 'apps/v1' }, 'invalid object type: apps/v1, Kind=ConfigMap'],
    [{ ...config('a'), apiVersion: 'a/b/c' }, 'invalid object type: /, Kind='],
    [config('b'), 'the name of the object (b) does not match the name on the URL (a)'],
    [
      { ...config('a'), metadata: {} },
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
  ])('%j is refused', async (body, message) => {
    const { status, body: answer } = await apply('configmaps/a', body)
    expect([status, answer.message]).toEqual([400, message])
  })

  test('that means another object, or holds what does not fit the kind, is refused', async () => {
    const uid = await apply('configmaps/a', { ...config('a'), metadata: { name: 'a', uid: 'x' } })
    expect([uid.status, uid.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
    ])
    const bytes = await apply('configmaps/a', config('a', { binaryData: { k: '!' } }))
    expect([bytes.status, bytes.body.message]).toEqual([
      500,
      'failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
    ])
  })

  test('is warned of keys that it sets twice, or refused for them', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  k: a\n  k: b\n'
    const warned = await apply('configmaps/twice', body)
    expect(warned.headers.get('warning')).toContain('line 6: key \\"k\\" already set in map')
    const strict = await apply('configmaps/twice', body, '&fieldValidation=Strict')
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "k" already set in map',
    ])
  })
})

test('nobody owns what Go leaves out, and nobody sees it', async () => {
  const made = await api.create(
    `${ns}/pods`,
    pod('empty', { spec: { hostNetwork: false, containers: [{ name: 'c', image: 'i', stdin: false }] } }),
  )
  expect([made.spec.hostNetwork, made.spec.containers[0].stdin]).toEqual([undefined, undefined])
  expect(owners(made).join()).not.toMatch(/hostNetwork|stdin/)
})

test('a list of managed fields that is empty resets them', async () => {
  await api.create(`${ns}/configmaps`, config('reset'))
  const reset = await api.send('PUT', `${ns}/configmaps/reset`, {
    ...config('reset'),
    metadata: { name: 'reset', managedFields: [] },
  })
  expect([reset.status, owners(reset.body)]).toEqual([200, []])
})

test('a scale takes the replicas from their owner, and an apply of it meets conflicts', async () => {
  const path = `${ns.replace('/api/v1', '/apis/apps/v1')}/deployments`
  const name = 'scaled'
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const spec = { replicas: 1, paused: true, selector: { matchLabels: { a: 'b' } }, template }
  const made = await api.send(
    'PATCH',
    `${path}/${name}?fieldManager=one`,
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec },
    APPLY,
  )
  expect(made.status).toBe(201)
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas: 3 } }
  const refused = await api.send('PATCH', `${path}/${name}/scale?fieldManager=two`, scale, APPLY)
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
  ])
  const patched = await api.send('PATCH', `${path}/${name}/scale?fieldManager=three`, { spec: { replicas: 2 } }, MERGE)
  expect([patched.status, patched.body.spec, patched.body.metadata.managedFields]).toEqual([
    200,
    { replicas: 2 },
    undefined,
  ])
  const after = await api.get(`${path}/${name}`)
  expect(owners(after).filter((one) => String(one).includes('replicas'))).toEqual([
    'three Update scale {"f:spec":{"f:replicas":{}}}',
  ])
  const forced = await api.send('PATCH', `${path}/${name}/scale?fieldManager=two&force=true`, scale, APPLY)
  expect([forced.status, forced.body.spec]).toEqual([200, { replicas: 3 }])
  expect(owners(await api.get(`${path}/${name}`)).filter((one) => String(one).includes('replicas'))).toEqual([
    'two Apply scale {"f:spec":{"f:replicas":{}}}',
  ])
})

test('the managed fields of a quota show its counter and its charger', async () => {
  const quotaPath = `${ns}/resourcequotas/owned`
  await api.create(`${ns}/resourcequotas`, {
    metadata: { name: 'owned' },
    spec: { hard: { 'count/secrets': '5', services: '5' } },
  })
  await api.until(quotaPath, (quota) => quota.status?.used?.['count/secrets'] === '0')
  await api.create(`${ns}/secrets`, { metadata: { name: 'charged' } })
  const managers = owners(await api.get(quotaPath))
  expect(managers).toContain('kube-apiserver Update status {"f:status":{"f:used":{"f:count/secrets":{}}}}')
  expect(managers).toContain(
    'kube-controller-manager Update status {"f:status":{"f:hard":{".":{},"f:count/secrets":{},"f:services":{}},"f:used":{".":{},"f:services":{}}}}',
  )
})

describe('a place of a custom resource without a type', () => {
  const preserve = { 'x-kubernetes-preserve-unknown-fields': true }
  const text = { type: 'string' }
  beforeAll(async () => {
    const spec = {
      any: preserve,
      map: { type: 'object', additionalProperties: preserve },
      list: { type: 'array', items: preserve },
      port: { 'x-kubernetes-int-or-string': true },
      known: { ...preserve, properties: { name: text } },
    }
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } }
    await api.define('crates', { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] })
    await api.until('/apis/harbour.test/v1/crates', ({ kind }) => kind === 'CrateList')
  })
  const at = (name: string): string => `/apis/harbour.test/v1/namespaces/default/crates/${name}`
  const put = (name: string, spec: object, manager = 'me', query = ''): Promise<Answer> =>
    api.send(
      'PATCH',
      `${at(name)}?fieldManager=${manager}${query}`,
      { apiVersion: 'harbour.test/v1', kind: 'Crate', metadata: { name }, spec },
      APPLY,
    )
  const VALUES: readonly unknown[] = ['x', 1, 1.5, true, [], ['a', { b: 1 }], {}, { a: { b: [1] } }]

  test.each(VALUES.map((value) => [value]))(
    'takes %j by apply, wherever it stands, and gives it back',
    async (value) => {
      const name = `v${VALUES.indexOf(value)}`
      const spec = { any: value, map: { m: value }, list: [value] }
      const { status, body } = await put(name, spec)
      expect([status, body.message, body.spec]).toEqual([201, undefined, spec])
      expect((await put(name, spec)).body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
      const [next] = VALUES.filter((other) => typeof other !== typeof value)
      const changed = await put(name, { ...spec, any: next })
      expect([changed.status, changed.body.spec.any]).toEqual([200, next])
      const conflict = await put(name, { map: { m: 'another' } }, 'you')
      expect([conflict.status, conflict.body.reason]).toEqual([409, 'Conflict'])
      expect((await put(name, { map: { m: 'another' } }, 'you', '&force=true')).body.spec.map.m).toBe('another')
    },
  )

  test('merges an object field by field, whatever the schema says of it', async () => {
    await put('merged', { any: { a: 1 }, known: { name: 'n', b: { c: 1 } } })
    const { status, body } = await put('merged', { any: { b: 2 }, known: { b: { d: 2 } } }, 'you')
    expect([status, body.spec]).toEqual([
      200,
      {
        any: { a: 1, b: 2 },
        known: { name: 'n', b: { c: 1, d: 2 } },
      },
    ])
    expect((await put('merged', { known: 'a scalar' }, 'me', '&force=true')).body.spec?.known).toBe('a scalar')
  })

  test('leaves it to validation what an int-or-string must be', async () => {
    expect((await put('ported', { port: 'http' })).status).toBe(201)
    expect((await put('ported', { port: 80 })).body.spec.port).toBe(80)
    const { status, body } = await put('ported', { port: { a: 1 } })
    expect([status, body.reason]).toEqual([422, 'Invalid'])
  })
})
