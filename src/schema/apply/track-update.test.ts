import { describe, expect, test } from 'vitest'
import { apply, at, config, core, fieldsOf, managers, schemas, track } from '../../../test/machinery/managed-map.ts'
import type { JsonObject } from '../../machinery/object.ts'

const deployments = schemas.type('io.k8s.api.apps.v1.Deployment')

describe('trackUpdate', () => {
  test('owns all of a new object but the structs that every object of its kind has', () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', labels: { a: 'b' } },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'x', resources: {}, ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
        },
      },
      status: {},
    }
    const tracked = track(deployment, { type: deployments, apiVersion: 'apps/v1', manager: '' })
    expect(fieldsOf(tracked, 'unknown')).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"x"}': {
                '.': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                },
                'f:resources': {},
              },
            },
          },
        },
      },
    })
  })

  test('moves what an update changes to its manager; what it removes is nobody’s', () => {
    const live = track(config({ a: '1', b: '2', c: '3' }), { manager: 'creator' })
    const updated = track({ ...live, data: { a: '9', c: '3' } }, { live, manager: 'other', time: at(2) })
    expect(fieldsOf(updated, 'creator')).toEqual({ 'f:data': { '.': {}, 'f:c': {} } })
    expect(fieldsOf(updated, 'other')).toEqual({ 'f:data': { 'f:a': {} } })
    expect(managers(updated).map((one) => one['time'])).toEqual([at(1), at(2)])
  })

  test('changes nothing where nothing changed', () => {
    const live = track(config({ a: '1' }))
    expect(managers(track(live, { live, manager: 'other', time: at(2) }))).toEqual(managers(live))
  })

  test('does not start in the middle of an object’s life, and stops when a client resets it', () => {
    const untracked = { ...config({ a: '1' }), metadata: { name: 'c', uid: 'u' } }
    expect(managers(track({ ...untracked, data: { a: '2' } }, { live: untracked }))).toEqual([])
    const live = track(config({ a: '1' }))
    for (const managedFields of [[], [{}]]) {
      expect(managers(track({ ...live, metadata: { name: 'c', uid: 'u', managedFields } }, { live }))).toEqual([])
    }
  })

  test('takes managed fields that a client edits, but not those it leaves out, gets wrong or sends to a subresource', () => {
    const live = track(config({ a: '1' }))
    const sent = (managedFields: unknown): JsonObject => ({
      ...live,
      metadata: { name: 'c', uid: 'u', ...(managedFields === undefined ? {} : { managedFields }) },
    })
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:b': {}, 'f:a': {} } },
    }
    expect(JSON.stringify(fieldsOf(track(sent([entry]), { live }), 'x'))).toBe('{"f:data":{"f:a":{},"f:b":{}}}')
    expect(managers(track(sent(undefined), { live }))).toEqual(managers(live))
    expect(managers(track(sent([{ ...entry, fieldsV1: { bad: {} } }]), { live }))).toEqual(managers(live))
    expect(managers(track(sent([entry]), { live, subresource: 'status' }))).toEqual(managers(live))
  })

  test('remembers ten managers of updates; the oldest become one', () => {
    let live = track(config({ m0: '0' }), { manager: 'm0', time: at(0) })
    for (let i = 1; i < 13; i++) {
      live = track(
        { ...live, data: { ...(live['data'] as JsonObject), [`m${i}`]: '1' } },
        { live, manager: `m${i}`, time: at(i) },
      )
    }
    expect(managers(live).map((one) => one['manager'])).toEqual([
      'ancient-changes',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'm12',
    ])
    expect(fieldsOf(live, 'ancient-changes')).toEqual({
      'f:data': { '.': {}, 'f:m0': {}, 'f:m1': {}, 'f:m2': {}, 'f:m3': {} },
    })
    expect(managers(live)[0]!['time']).toBe(at(3))
  })

  test('knows nothing of an object whose lists have items without keys', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { conditions: [null] } }
    expect(managers(track(pod, { type: core('Pod') }))).toEqual([])
  })

  test('orders managers: appliers first, then by time to the second, then by name', () => {
    const live = track(config({ a: '1' }), { manager: 'z', time: at(1) })
    const second = track({ ...live, data: { a: '1', b: '1' } }, { live, manager: 'a', time: at(1) })
    const third = apply(config({ c: '1' }), { live: second, manager: 'q', time: at(9) }).object
    expect(managers(third).map((one) => one['manager'])).toEqual(['q', 'a', 'z'])
  })

  test('the sets after an apply are the union before it, less what was removed', () => {
    const live = track(config({ a: '1', b: '2' }), { manager: 'creator' })
    const once = apply(config({ b: '2', c: '3' }), { live }).object
    const twice = apply(config({ c: '3' }), { live: once }).object
    expect(twice['data']).toEqual({ a: '1', b: '2', c: '3' })
    expect(fieldsOf(twice, 'creator')).toEqual({ 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } })
    expect(fieldsOf(twice, 'me')).toEqual({ 'f:data': { 'f:c': {} } })
  })
})
