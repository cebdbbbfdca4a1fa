import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apply, at, config, core, fieldsOf, managers, schemas, track } from '../../../test/machinery/managed-map.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { ApplyRequest } from './patch.ts'
import type { conflictError } from './manager/conflict-error.ts'
import { fieldSet } from './field/field-set.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const refusal = (run: () => unknown): { message: string; code: number; details: unknown } => {
  try {
    run()
  } catch (error) {
    const { status } = error as ReturnType<typeof conflictError>
    return { message: status.message ?? '', code: status.code, details: status.details }
  }
  throw new Error('nothing was refused')
}

describe('applyPatch', () => {
  test('creates an object whose manager owns what it applied', () => {
    const { object, managedFields } = apply(config({ a: '1' }, { labels: { x: 'y' } }))
    expect(managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: at(1),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:x': {} } } },
      },
    ])
    expect(Object.keys(managedFields[0]!)).toEqual([
      'manager',
      'operation',
      'apiVersion',
      'time',
      'fieldsType',
      'fieldsV1',
    ])
    expect(object).toMatchObject({ data: { a: '1' }, metadata: { managedFields } })
  })

  test('removes what its manager no longer applies, unless another applies it too', () => {
    const first = apply(config({ a: '1', b: '2', c: '3' })).object
    const second = apply(config({ b: '2' }), { live: first, manager: 'other', time: at(2) }).object
    const third = apply(config({ c: '3' }), { live: second, time: at(3) }).object
    expect(third['data']).toEqual({ b: '2', c: '3' })
    expect(fieldsOf(third, 'me')).toEqual({ 'f:data': { 'f:c': {} } })
    expect(fieldsOf(third, 'other')).toEqual({ 'f:data': { 'f:b': {} } })
  })

  test('leaves alone what was never its own', () => {
    const live = track(config({ a: '1', b: '2' }), { manager: 'creator' })
    const first = apply(config({ a: '1' }), { live }).object
    expect(apply(config({}), { live: first }).object['data']).toEqual({ a: '1', b: '2' })
  })

  test('refuses to change what others own, and says whose it is', () => {
    const live = apply(config({ a: '1', b: '2' }), { manager: 'mgr' }).object
    expect(refusal(() => apply(config({ a: '9' }), { live }))).toEqual({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "mgr": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "mgr"', field: '.data.a' }] },
    })
    expect(refusal(() => apply(config({ a: '9', b: '9' }), { live })).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "mgr":\n- .data.a\n- .data.b',
    )
  })

  test('names the version of managers that updated, and their subresource', () => {
    const live = track(config({ a: '1' }), { manager: 'mgr' })
    expect(refusal(() => apply(config({ a: '2' }), { live })).message).toBe(
      'Apply failed with 1 conflict: conflict with "mgr" using v1: .data.a',
    )
    const status = {
      manager: 'zed',
      operation: 'Update',
      apiVersion: 'v1',
      subresource: 'status',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    }
    const both = {
      ...live,
      metadata: { ...(live['metadata'] as JsonObject), managedFields: [...managers(live), status] },
    }
    expect(refusal(() => apply(config({ a: '2' }), { live: both })).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "mgr" using v1:\n- .data.a\nconflicts with "zed" with subresource "status" using v1:\n- .data.a',
    )
  })

  test('takes over by force; a manager that owns nothing any more is removed', () => {
    const live = apply(config({ a: '1' }), { manager: 'mgr' }).object
    const { object } = apply(config({ a: '2' }), { live, force: true, time: at(2) })
    expect(object['data']).toEqual({ a: '2' })
    expect(managers(object).map((one) => one['manager'])).toEqual(['me'])
  })

  test('shares fields of equal value, and keeps the time of a manager that changed nothing', () => {
    const live = apply(config({ a: '1' }), { manager: 'mgr' }).object
    const shared = apply(config({ a: '1' }), { live, time: at(2) }).object
    expect(managers(shared).map((one) => [one['manager'], one['time']])).toEqual([
      ['me', undefined],
      ['mgr', at(1)],
    ])
  })

  test('knows the fields of an object without managers as those from before the first apply', () => {
    const live = { ...config({ a: '1' }), metadata: { name: 'c', namespace: 'n', uid: 'u' } }
    expect(refusal(() => apply(config({ a: '2' }), { live })).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    )
    expect(fieldsOf(apply(config({ b: '2' }), { live }).object, 'before-first-apply')).toEqual({
      'f:data': { '.': {}, 'f:a': {} },
    })
  })

  test('merges lists by their keys, with the default protocol of ports', () => {
    const service = (ports: JsonObject[]): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports },
    })
    const more = { type: core('Service') }
    const live = apply(
      service([
        { port: 80, protocol: 'TCP', targetPort: 1 },
        { port: 53, protocol: 'UDP' },
      ]),
      { ...more, manager: 'a' },
    ).object
    const { object } = apply(service([{ port: 80, name: 'web' }]), { ...more, live })
    expect(object['spec']).toEqual({
      ports: [
        { port: 80, protocol: 'TCP', targetPort: 1, name: 'web' },
        { port: 53, protocol: 'UDP' },
      ],
    })
    expect(fieldsOf(object, 'me')).toEqual({
      'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } } },
    })
  })

  test('owns a granular reference by its fields although its type is atomic elsewhere', () => {
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { claimRef: { name: 'x' } },
    }
    expect(fieldsOf(apply(volume, { type: core('PersistentVolume') }).object, 'me')).toEqual({
      'f:spec': { 'f:claimRef': { 'f:name': {} } },
    })
  })

  test('owns nothing of the fields that its request cannot change', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'n' },
      status: { phase: 'Running' },
    }
    const { object } = apply(pod, { type: core('Pod'), resetFields: fieldSet(['status']) })
    expect(fieldsOf(object, 'me')).toEqual({ 'f:spec': { 'f:nodeName': {} } })
  })

  test('refuses bodies that cannot be applied', () => {
    expect(refusal(() => apply(config({}, { managedFields: [] })))).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    })
    expect(refusal(() => apply({ ...config({}), apiVersion: 'apps/v1' }))).toMatchObject({
      code: 400,
      message: 'invalid object type: apps/v1, Kind=ConfigMap',
    })
    expect(refusal(() => apply({ ...config({}), spec: {} }))).toMatchObject({
      code: 500,
      message: 'failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .spec: field not declared in schema',
    })
  })

  test('takes over what kubectl applied on the client side, and keeps the annotation up to date', () => {
    const last = JSON.stringify(config({ a: '1', b: '2' }))
    const live = track(config({ a: '1', b: '3' }, { annotations: { [LAST_APPLIED]: last } }), {
      manager: 'kubectl-client-side-apply',
    })
    const { object } = apply(config({ a: '9' }), { live, manager: 'kubectl', time: at(2) })
    expect(object).toMatchObject({ data: { a: '9', b: '3' } })
    expect((object['metadata'] as KubeObject['metadata']).annotations?.[LAST_APPLIED]).toBe(
      '{"apiVersion":"v1","data":{"a":"9"},"kind":"ConfigMap","metadata":{"name":"c","namespace":"n"}}\n',
    )
    expect(refusal(() => apply(config({ b: '9' }), { live, manager: 'kubectl' })).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.b',
    )
    expect(refusal(() => apply(config({ a: '9' }), { live })).message).toContain('kubectl-client-side-apply')
  })

  test('gives a field that became atomic to the managers that owned parts of it', () => {
    const node = (atomic: boolean): ApplyRequest['type'] =>
      schemas.inline({
        type: 'object',
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object', properties: { name: { type: 'string' } } },
          map: {
            type: 'object',
            additionalProperties: { type: 'string' },
            ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
          },
        },
      })
    const thing = (map: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 't' }, map })
    const live = apply(thing({ a: '1' }), { type: node(false), manager: 'mgr' }).object
    expect(refusal(() => apply(thing({ b: '1' }), { type: node(true), live })).message).toBe(
      'Apply failed with 1 conflict: conflict with "mgr": .map',
    )
  })

  const data = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'),
    fc.constantFrom('1', '2'),
    { noNullPrototype: true },
  )
  test('applied twice changes nothing the second time', () => {
    fc.assert(
      fc.property(data, data, data, fc.boolean(), (start, mine, theirs, create) => {
        const live = create ? track(config(start)) : apply(config(start), { manager: 'a' }).object
        const between = apply(config(theirs), { live, manager: 'b', force: true, time: at(2) }).object
        const once = apply(config(mine), { live: between, force: true, time: at(3) }).object
        expect(apply(config(mine), { live: once, time: at(4) }).object).toEqual(once)
        expect(once['data']).toMatchObject(mine)
      }),
    )
  })

  test('keeps the order in which the applied list has its items', () => {
    const names = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'))
    const pod = (all: string[]): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: all.map((name) => ({ name })) },
    })
    fc.assert(
      fc.property(names, names, (first, second) => {
        const live = apply(pod(first), { type: core('Pod'), manager: 'a' }).object
        const { object } = apply(pod(second), { type: core('Pod'), live })
        const all = (object['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name)
        expect(all.filter((name) => second.includes(name))).toEqual(second)
        expect(all.toSorted()).toEqual([...new Set([...first, ...second])].toSorted())
      }),
    )
  })
})
