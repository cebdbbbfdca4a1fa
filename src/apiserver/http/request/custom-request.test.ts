import { expect, test } from 'vitest'
import { servedCustomResource } from '../../../../test/apiserver/served-custom-resource.ts'
import { ApiError } from '../../../machinery/status.ts'
import type { Resource } from '../../resource/registry.ts'
import { parseTarget, type ResourceTarget } from '../../auth/request/target.ts'
import { requestAction } from '../../auth/request/request-action.ts'
import { checkCustomAction } from './custom-request.ts'
import { PathNotFound } from '../answer/path-not-found.ts'

const resource = (more: Partial<Resource['served']> = {}): Resource => {
  const subresources = [{ name: 'status', kind: 'Widget', group: 'a.test', version: 'v1', verbs: [] }]
  const served = servedCustomResource({ subresources, ...more })
  return { served, id: { group: 'a.test', resource: 'widgets' } } as unknown as Resource
}
const outcome = (method: string, path: string, more?: Partial<Resource['served']>): string => {
  try {
    const [url = '', search = ''] = `/apis/a.test/v1/${path}`.split('?')
    const target = parseTarget(url) as ResourceTarget
    const { verb } = requestAction({ method, search, query: new URLSearchParams(search) }, target)
    checkCustomAction(verb, target, resource(more))
    return verb
  } catch (error) {
    if (error instanceof ApiError) return `${error.status.code} ${error.status.message ?? ''}`
    return error instanceof PathNotFound ? 'no such path' : String(error)
  }
}
const cluster = { namespaced: false }

test.each([
  ['GET', 'widgets', undefined, 'list'],
  ['GET', 'namespaces/n/widgets', undefined, 'list'],
  ['GET', 'namespaces/n/widgets/a', undefined, 'get'],
  ['HEAD', 'namespaces/n/widgets/a/status', undefined, 'get'],
  ['DELETE', 'namespaces/n/widgets', undefined, 'deletecollection'],
  ['POST', 'namespaces/n/widgets/a', undefined, 'create'],
  ['GET', 'widgets?watch=1', undefined, 'watch'],
  ['GET', 'watch/widgets', undefined, 'watch'],
  ['GET', 'watch/namespaces/n/widgets/a', undefined, 'watch'],
  ['GET', 'watch/widgets/a', undefined, 'no such path'],
  ['PATCH', 'watch/namespaces/n/widgets/a', undefined, '405  is not supported on resources of kind "widgets.a.test"'],
  ['GET', 'widgets/a', undefined, 'no such path'],
  ['POST', 'widgets', undefined, 'no such path'],
  ['POST', 'widgets', cluster, 'create'],
  ['GET', 'namespaces/n/widgets', cluster, 'no such path'],
  ['GET', 'namespaces/n/widgets/a/scale', undefined, '404 widgets.a.test "a" not found'],
  ['GET', 'namespaces/n/widgets/a/b/c', undefined, '404 widgets.a.test "a" not found'],
  [
    'DELETE',
    'namespaces/n/widgets/a/status',
    undefined,
    '405 delete is not supported on resources of kind "widgets.a.test"',
  ],
  ['PUT', 'namespaces/n/widgets', undefined, '400 name must be provided'],
  ['constructor', 'namespaces/n/widgets', undefined, '405  is not supported on resources of kind "widgets.a.test"'],
  [
    'POST',
    'namespaces/n/widgets',
    { terminating: true },
    '405 create not allowed while custom resource definition is terminating',
  ],
])('%s %s of %j: %s', (method, path, more, expected) => {
  expect(outcome(method, path, more)).toBe(expected)
})
