// Covers persistent-volume-claim.ts and resource-claim.ts.
import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { decide } from '../decide.ts'
import type { Attributes, Evaluator } from '../evaluator.ts'
import { lookupAmong } from '../lookup.ts'
import { countedObject, countedResource } from './object-count.ts'
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import { QUOTA_EVALUATORS } from './table.ts'
import { resourceClaimEvaluator } from './resource-claim.ts'
import { claimScopeFacts, matchingScopes } from './scopes.ts'

const objectOf = (kind: string, metadata: JsonObject, content: JsonObject): KubeObject => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'resource.k8s.io/v1',
  kind,
  metadata,
  ...content,
})
const handles = (of: Evaluator, operation: Attributes['operation'], subresource = ''): boolean =>
  of.handles({
    group: of.group,
    resource: of.resource,
    subresource,
    operation,
    name: 'x',
    namespace: 'ns',
    object: objectOf('Any', {}, {}),
    dryRun: false,
  })

describe('a claim for devices', () => {
  const IMPLICIT = 'requests.deviceclass.resource.kubernetes.io/gpu'
  const EXPLICIT = 'requests.example.com/gpu'
  const resourceOf = ({ kind }: KubeObject) =>
    kind === 'Pod'
      ? { group: '', resource: 'pods' }
      : { group: 'resource.k8s.io', resource: kind === 'DeviceClass' ? 'deviceclasses' : 'resourceclaims' }
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }
  const marked = { annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' }, ownerReferences: [owner] }
  const claimOf = (request: JsonObject, metadata: JsonObject = {}): KubeObject =>
    objectOf(
      'ResourceClaim',
      { name: 'c', namespace: 'ns', ...metadata },
      { spec: { devices: { requests: [request] } } },
    )
  const two = (metadata: JsonObject = {}): KubeObject =>
    claimOf({ exactly: { deviceClassName: 'gpu', count: 2 } }, metadata)
  const deviceClass = objectOf('DeviceClass', { name: 'gpu' }, { spec: { extendedResourceName: 'example.com/gpu' } })
  const podOf = (metadata: JsonObject = {}, status: JsonObject = {}): KubeObject =>
    objectOf(
      'Pod',
      { name: 'p', namespace: 'ns', uid: 'u', ...metadata },
      {
        spec: { containers: [{ resources: { requests: { 'example.com/gpu': '1' } } }] },
        status,
      },
    )
  const usage = (claim: KubeObject, ...others: readonly KubeObject[]): Record<string, string> =>
    formatResourceList(resourceClaimEvaluator.usage(claim, { now: 0, lookup: lookupAmong(others, resourceOf) }))

  test('is charged when it is made and when it changes, but not for its status', () => {
    expect(handles(resourceClaimEvaluator, 'CREATE')).toBe(true)
    expect(handles(resourceClaimEvaluator, 'UPDATE')).toBe(true)
    expect(handles(resourceClaimEvaluator, 'UPDATE', 'status')).toBe(false)
    expect(handles(resourceClaimEvaluator, 'DELETE')).toBe(false)
  })

  test.each([
    [{ count: 3 }, '3'],
    [{ count: 3n }, '3'],
    [{}, '1'],
    [{ allocationMode: 'ExactCount', count: 2 }, '2'],
    [{ allocationMode: 'All', count: 2 }, '32'],
    [{ allocationMode: 'Some', count: 2 }, '0'],
    [{ count: 1.5 }, '0'],
    [{ count: '2' }, '0'],
  ])('that asks for %o costs %s devices', (request, devices) => {
    const found = usage(claimOf({ exactly: { deviceClassName: 'gpu', ...request } }))
    expect(found['gpu.deviceclass.resource.k8s.io/devices']).toBe(devices)
    expect(found[IMPLICIT]).toBe(devices === '0' ? undefined : devices)
  })

  test('costs what the extended resource of its class is limited to, where its class is known', () => {
    expect(usage(two(), deviceClass)).toMatchObject({ [IMPLICIT]: '2', [EXPLICIT]: '2' })
    expect(usage(two())).not.toHaveProperty([EXPLICIT])
    const alone = resourceClaimEvaluator.usage(two(marked), { now: 0 })
    expect(formatResourceList(alone)).toMatchObject({ [IMPLICIT]: '2' })
  })

  test('costs less by what the pod that it was made for is charged', () => {
    expect(usage(two(marked), deviceClass, podOf())).toMatchObject({ [IMPLICIT]: '2', [EXPLICIT]: '1' })
    expect(
      usage(two({ ...marked, namespace: undefined }), deviceClass, podOf({ namespace: undefined }))[EXPLICIT],
    ).toBe('1')
  })

  test.each<readonly [string, JsonObject, KubeObject]>([
    ['is not marked', { ownerReferences: [owner] }, podOf()],
    [
      'is marked otherwise',
      { ...marked, annotations: { 'resource.kubernetes.io/extended-resource-claim': 'false' } },
      podOf(),
    ],
    ['has no owner', { annotations: marked.annotations }, podOf()],
    ['is owned by another kind', { ...marked, ownerReferences: [{ ...owner, kind: 'Job' }] }, podOf()],
    [
      'is owned by a pod of another group',
      { ...marked, ownerReferences: [{ ...owner, apiVersion: 'example.com/v1' }] },
      podOf(),
    ],
    ['is not controlled by its owner', { ...marked, ownerReferences: [{ ...owner, controller: false }] }, podOf()],
    ['has an owner that is another pod of that name', marked, podOf({ uid: 'other' })],
    ['has an owner that is gone', marked, podOf({ name: 'other' })],
    ['has an owner in another namespace', marked, podOf({ namespace: 'other' })],
    [
      'is not the claim that serves its pod',
      marked,
      podOf({}, { extendedResourceClaimStatus: { resourceClaimName: 'other' } }),
    ],
    ['has an owner that has ended', marked, podOf({}, { phase: 'Succeeded' })],
  ])('costs all that it asks for where it %s', (_what, metadata, pod) => {
    expect(usage(two(metadata), deviceClass, pod)).toMatchObject({ [IMPLICIT]: '2', [EXPLICIT]: '2' })
  })

  test('shares what its pod is charged only with the claim that its status names, or where it is the only one', () => {
    const serving = podOf({}, { extendedResourceClaimStatus: { resourceClaimName: 'c' } })
    const other = two({ ...marked, name: 'other' })
    const foreign = two({ ...marked, name: 'foreign', ownerReferences: [{ ...owner, uid: 'v' }] })
    expect(usage(two(marked), deviceClass, serving, other)[EXPLICIT]).toBe('1')
    expect(usage(two(marked), deviceClass, podOf(), two(marked), foreign, two({ name: 'plain' }))[EXPLICIT]).toBe('1')
    expect(usage(two(marked), deviceClass, podOf(), two(marked), other)[EXPLICIT]).toBe('2')
  })

  test('is decided on with its device class, and an update of it only by what is more', () => {
    const hard = { [EXPLICIT]: '1' }
    const quota = quotaBudget(
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        status: { hard, used: { [EXPLICIT]: '0' } },
      },
      QUOTA_EVALUATORS,
    )
    const verdict = (count: number, oldCount?: number): string => {
      const asking = (devices: number): KubeObject =>
        claimOf({ exactly: { deviceClassName: 'gpu', count: devices } }, { resourceVersion: '1' })
      return decide({
        budgets: [quota],
        attributes: {
          group: 'resource.k8s.io',
          resource: 'resourceclaims',
          subresource: '',
          operation: oldCount === undefined ? 'CREATE' : 'UPDATE',
          name: 'c',
          namespace: 'ns',
          object: asking(count),
          ...(oldCount === undefined ? {} : { oldObject: asking(oldCount) }),
          dryRun: false,
        },
        now: 0,
        lookup: lookupAmong([deviceClass], resourceOf),
      }).verdict
    }
    expect([verdict(1), verdict(2), verdict(3, 2), verdict(4, 2)]).toEqual(['admitted', 'denied', 'admitted', 'denied'])
  })

  test('hangs on its pod only where it was made for one', () => {
    expect(resourceClaimEvaluator.entangled?.(two(marked))).toBe(true)
    expect(resourceClaimEvaluator.entangled?.(two())).toBe(false)
  })
})

describe('a claim for storage', () => {
  const claimOf = (spec: JsonObject, status: JsonObject = {}): KubeObject =>
    objectOf('PersistentVolumeClaim', { name: 'v' }, { spec, status })
  const storage = (requested: unknown, allocated?: unknown): string | undefined =>
    formatResourceList(
      persistentVolumeClaimEvaluator.usage(
        claimOf({ resources: { requests: { storage: requested } } }, { allocatedResources: { storage: allocated } }),
        { now: 0 },
      ),
    )['requests.storage']

  test('is charged when it is made, changes or its status changes', () => {
    expect(handles(persistentVolumeClaimEvaluator, 'CREATE')).toBe(true)
    expect(handles(persistentVolumeClaimEvaluator, 'CREATE', 'status')).toBe(false)
    expect(handles(persistentVolumeClaimEvaluator, 'UPDATE', 'status')).toBe(true)
    expect(handles(persistentVolumeClaimEvaluator, 'UPDATE', 'other')).toBe(false)
    expect(handles(persistentVolumeClaimEvaluator, 'DELETE')).toBe(false)
  })

  test('costs what it asks for in whole bytes, or what is still allocated where that is more', () => {
    expect([storage('1500m'), storage('5Gi', '10Gi'), storage('10Gi', '5Gi'), storage('5Gi', null)]).toEqual([
      '2',
      '10Gi',
      '10Gi',
      '5Gi',
    ])
    expect([storage(undefined, '5Gi'), storage(null)]).toEqual([undefined, undefined])
    expect(storage('1024Mi', '1Gi')).toBe('1Gi')
  })

  test('of a class is charged to the class, too', () => {
    const usage = persistentVolumeClaimEvaluator.usage(claimOf({ storageClassName: 'gold' }), { now: 0 })
    expect(formatResourceList(usage)).toEqual({
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    })
  })

  const moving = claimOf(
    { volumeAttributesClassName: 'b' },
    { currentVolumeAttributesClassName: 'a', modifyVolumeStatus: { targetVolumeAttributesClassName: 'b' } },
  )
  const matches = (claim: KubeObject, operator: string, values?: readonly string[]): boolean =>
    matchingScopes(
      persistentVolumeClaimEvaluator,
      [{ scopeName: 'VolumeAttributesClass', operator, ...(values === undefined ? {} : { values }) }],
      claim,
    ).length > 0

  test('is in a class that it asks for, has or is moved to', () => {
    expect(['a', 'b', 'c'].map((name) => matches(moving, 'In', [name]))).toEqual([true, true, false])
    expect(['a', 'b', 'c'].map((name) => matches(claimOf({}), 'NotIn', [name]))).toEqual([true, true, true])
    expect([matches(moving, 'NotIn', ['a']), matches(moving, 'NotIn', ['a', 'b'])]).toEqual([true, false])
    expect([matches(moving, 'Exists'), matches(claimOf({}), 'Exists')]).toEqual([true, false])
    expect([matches(moving, 'DoesNotExist'), matches(claimOf({}), 'DoesNotExist')]).toEqual([false, true])
  })

  test('has scope facts that name each of its classes once', () => {
    expect([claimScopeFacts(moving), claimScopeFacts(claimOf({}))]).toEqual(['a b', ''])
  })
})

describe('a count of objects', () => {
  test('is named by resource and group', () => {
    expect(countedResource('count/widgets.example.com')).toEqual({ group: 'example.com', resource: 'widgets' })
    expect(countedResource('count/secrets')).toEqual({ group: '', resource: 'secrets' })
    expect(countedResource('widgets.example.com')).toBeUndefined()
  })

  test('has no other name unless it is given one', () => {
    const widgets = countedObject({ group: 'example.com', resource: 'widgets' })
    const any = objectOf('Widget', {}, {})
    expect(formatResourceList(widgets.usage(any, { now: 0 }))).toEqual({ 'count/widgets.example.com': '1' })
    expect(['count/widgets.example.com', 'widgets', 'undefined'].filter(widgets.counts)).toEqual([
      'count/widgets.example.com',
    ])
    expect([handles(widgets, 'CREATE'), handles(widgets, 'CREATE', 'status'), handles(widgets, 'UPDATE')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
