import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { subresourceMerges } from './subresource.ts'

const merge = (of: string, sent: object, old: object): KubeObject =>
  subresourceMerges[of]?.(sent as KubeObject, old as KubeObject, { now: '2026-01-01T00:00:00Z' }) as KubeObject
const pod = (spec: object, metadata: object = { generation: 1 }): object => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata,
  spec,
  status: { phase: 'Running' },
})

test('a resize takes the resources of containers that exist, by name', () => {
  const old = pod({
    nodeName: 'n',
    containers: [
      { name: 'a', image: 'i', resources: { requests: { cpu: '1' } } },
      { name: 'b', image: 'i' },
    ],
  })
  const sent = pod({
    nodeName: 'other',
    containers: [
      { name: 'b', image: 'x', resizePolicy: [] },
      { name: 'a', resources: { requests: { cpu: '2' } } },
      { name: 'c' },
    ],
  })
  expect(merge('pods/resize', sent, old)).toEqual(
    pod(
      {
        nodeName: 'n',
        containers: [
          { name: 'a', image: 'i', resources: { requests: { cpu: '2' } } },
          { name: 'b', image: 'i', resizePolicy: [] },
        ],
      },
      { generation: 2 },
    ),
  )
})

test('a resize that changes nothing keeps the generation', () => {
  const old = pod({ containers: [{ name: 'a', resources: {} }] })
  expect(merge('pods/resize', old, old).metadata.generation).toBe(1)
})

test('ephemeral containers are all that their subresource takes', () => {
  const old = pod({ containers: [{ name: 'a' }] })
  const sent = pod({ containers: [], ephemeralContainers: [{ name: 'd' }] })
  expect(merge('pods/ephemeralcontainers', sent, old)['spec']).toEqual({
    containers: [{ name: 'a' }],
    ephemeralContainers: [{ name: 'd' }],
  })
})

test('finalize takes the finalizers of a namespace and leaves its phase', () => {
  const old = { metadata: {}, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } }
  expect(merge('namespaces/finalize', { metadata: {}, spec: {}, status: { phase: 'Active' } }, old)).toEqual({
    ...old,
    spec: { finalizers: [] },
  })
})
