import { expect, test } from 'vitest'
import { reviewedRequest } from '../../../../test/operator/reviewed-request.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { reviewedObject } from './reviewed-object.ts'

const resource: ServerResource = {
  group: 'x.io',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
  verbs: [],
  shortNames: [],
  subresources: ['scale'],
}
const widget = (resourceVersion: string, spec: object = { size: { replicas: 1 } }): KubeObject => ({
  apiVersion: 'x.io/v1',
  kind: 'Widget',
  metadata: { namespace: 'n', name: 'w', uid: 'u', resourceVersion },
  spec,
})
const request = (more: Partial<AdmissionRequest>): AdmissionRequest =>
  reviewedRequest(resource, {
    name: 'w',
    namespace: 'n',
    operation: 'UPDATE',
    object: widget('7'),
    oldObject: widget('7'),
    ...more,
  })
const stored = widget('8', { size: { replicas: 3, other: 1 }, more: 2 })
const reviewed = (more: Partial<AdmissionRequest>, scalePaths: Record<string, string> = {}) =>
  reviewedObject(
    request(more),
    resource,
    {
      client: { get: (async () => stored) as KubeClient['get'] },
      crd: () => ({
        group: 'x.io',
        kind: 'Widget',
        resource: 'widgets',
        namespaced: true,
        established: true,
        served: ['v1'],
        scalePaths,
      }),
    },
    {},
  )

test('an update is based on the version that it replaces, a create on none', async () => {
  expect(await reviewed({})).toMatchObject({ operation: 'UPDATE', namespace: 'n', name: 'w', uid: 'u', base: '7' })
  const created = await reviewed({ operation: 'CREATE', oldObject: undefined })
  expect(created).toMatchObject({ operation: 'CREATE', base: '', oldObject: undefined })
})

test('an update that creates the object is a create', async () => {
  const { metadata, ...rest } = widget('')
  expect(await reviewed({ oldObject: { ...rest, metadata: { name: metadata.name ?? '' } } })).toMatchObject({
    operation: 'CREATE',
    base: '',
    oldObject: undefined,
  })
})

test('nothing is written by a deletion', async () => {
  expect(await reviewed({ operation: 'DELETE', object: undefined })).toBeUndefined()
})

test('a Scale is its object with that many replicas, where the definition says they stand', async () => {
  const scale: KubeObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: { replicas: 9 } }
  const oldScale: KubeObject = { ...scale, metadata: { resourceVersion: '8' }, spec: { replicas: 3 } }
  const more = { subResource: 'scale', object: scale, oldObject: oldScale }
  const scaled = await reviewed(more, { v1: '.spec.size.replicas' })
  expect(scaled).toMatchObject({ operation: 'UPDATE', uid: 'u', base: '8', oldObject: stored })
  expect(scaled?.object['spec']).toEqual({ size: { replicas: 9, other: 1 }, more: 2 })
  expect((await reviewed(more))?.object['spec']).toEqual({ size: { replicas: 3, other: 1 }, more: 2, replicas: 9 })
})

test('a Scale is based on the version that the API server has read, and on the one that was read here only where that is not said', async () => {
  const scale: KubeObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: { replicas: 9 } }
  const oldScale = (resourceVersion?: string): KubeObject => ({
    ...scale,
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
  })
  const based = async (oldObject: KubeObject) =>
    (await reviewed({ subResource: 'scale', object: scale, oldObject }))?.base
  // On any other the update cannot be stored, and a reservation on a later one would be held although that has been seen.
  expect(await based(oldScale('7'))).toBe('7')
  expect(await based(oldScale())).toBe('8')
})
