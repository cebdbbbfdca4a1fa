import { expect, test } from 'vitest'
import { parseTarget } from './target.ts'

const NOTHING = { namespace: '', name: '', subresource: '', rest: '', watch: false }
const pods = { type: 'resource', group: '', version: 'v1', resource: 'pods', ...NOTHING }

test.each([
  ['/api/v1/pods', pods],
  ['/api/v1/pods/', pods],
  ['/api/v1/watch/pods', { ...pods, watch: true }],
  ['/api/v1/watch/namespaces/n/pods/p', { ...pods, namespace: 'n', name: 'p', watch: true }],
  ['/api/v1/namespaces/n/pods', { ...pods, namespace: 'n' }],
  ['/api/v1/namespaces/n/pods/p', { ...pods, namespace: 'n', name: 'p' }],
  ['/api/v1/namespaces/n/pods/p/status', { ...pods, namespace: 'n', name: 'p', subresource: 'status' }],
  ['/api/v1/namespaces/n/pods/p/proxy/a/b', { ...pods, namespace: 'n', name: 'p', subresource: 'proxy', rest: 'a/b' }],
  ['/api/v1/namespaces/n/pods/with%20space', { ...pods, namespace: 'n', name: 'with space' }],
  ['/apis/apps/v1/deployments', { ...pods, group: 'apps', resource: 'deployments' }],
  [
    '/apis/apps/v1/namespaces/n/deployments/d/scale',
    { ...pods, group: 'apps', resource: 'deployments', namespace: 'n', name: 'd', subresource: 'scale' },
  ],
])('%s is a resource', (path, target) => {
  expect(parseTarget(path)).toEqual(target)
})

test.each([
  ['/api/v1/namespaces', ''],
  ['/api/v1/namespaces/n', ''],
  ['/api/v1/namespaces/n/status', 'status'],
  ['/api/v1/namespaces/n/finalize', 'finalize'],
])('%s is the Namespace itself', (path, subresource) => {
  const name = path.endsWith('namespaces') ? '' : 'n'
  expect(parseTarget(path)).toEqual({ ...pods, resource: 'namespaces', name, subresource })
})

test('in other groups nothing but a namespace stands behind namespaces/', () => {
  expect(parseTarget('/apis/apps/v1/namespaces/n/status')).toMatchObject({
    group: 'apps',
    resource: 'status',
    namespace: 'n',
  })
})

test.each([
  '/',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/version',
  '/openapi/v3/apis/apps/v1',
  '/apix/v1/pods',
  '//api/v1/pods',
  '/api/v1//pods',
  '/api/v1',
])('%s is a plain path', (path) => {
  expect(parseTarget(path)).toEqual({ type: 'path', path })
})

test('a broken escape is an error of its own kind', () => {
  expect(() => parseTarget('/api/v1/namespaces/%e0%a4%a')).toThrow(URIError)
})
