import { expect, test } from 'vitest'
import type { ObjectRequest } from './object-request.ts'
import { storageKey } from './storage-key.ts'

const request = (bucket: string, served: object, more: Partial<ObjectRequest> = {}): ObjectRequest =>
  ({ resource: { bucket, served }, namespace: 'n', name: 'a', dryRun: false, ...more }) as unknown as ObjectRequest

test.each([
  [request('pods', { resource: 'pods', namespaced: true }), '/registry/pods/n/a'],
  [request('pods', { resource: 'pods', namespaced: true }, { dryRun: true }), '/pods/n/a'],
  [request('services', { resource: 'services', namespaced: true }), '/registry/services/specs/n/a'],
  [request('nodes', { resource: 'nodes', namespaced: false }), '/registry/minions/a'],
  [
    request('things.test', { group: 'test', resource: 'things', namespaced: true, custom: true }),
    '/registry/test/things/n/a',
  ],
])('a real server keeps objects where messages say', (of, key) => {
  expect(storageKey(of)).toBe(key)
})
