import { expect, test } from 'vitest'
import { servedCustomResource } from '../../../../test/apiserver/served-custom-resource.ts'
import { ApiError } from '../../../machinery/status.ts'
import type { Resource } from '../../resource/registry.ts'
import { parseTarget, type ResourceTarget } from '../../auth/request/request-target.ts'
import { requestAction } from '../../auth/request/request-action.ts'
import { checkCustomAction } from './custom-request.ts'
import { PathNotFound } from '../answer/path-not-found.ts'

const resource = (more: Partial<Resource['served']> = {}): Resource => {
  const subresources = [{ name: 'status', kind: 'Gem', group: 'a.test', version: 'v1', verbs: [] }]
  const served = servedCustomResource({ subresources, ...more })
  return { served, id: { group: 'a.test', resource: 'gems' } } as unknown as Resource
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
  ['GET', 'gems', undefined, 'list'],
  ['GET', 'namespaces/n/gems', undefined, 'list'],
  ['GET', 'namespaces/n/gems/a', undefined, 'get'],
  ['HEAD', 'namespaces/n/gems/a/status', undefined, 'get'],
  ['DELETE', 'namespaces/n/gems', undefined, 'deletecollection'],
  ['POST', 'namespaces/n/gems/a', undefined, 'create'],
  ['GET', 'gems?watch=1', undefined, 'watch'],
  ['GET', 'watch/gems', undefined, 'watch'],
  ['GET', 'watch/namespaces/n/gems/a', undefined, 'watch'],
  ['GET', 'watch/gems/a', undefined, 'no such path'],
  ['PATCH', 'watch/namespaces/n/gems/a', undefined, '405  is not supported on resources of kind "gems.a.test"'],
  ['GET', 'gems/a', undefined, 'no such path'],
  ['POST', 'gems', undefined, 'no such path'],
  ['POST', 'gems', cluster, 'create'],
  ['GET', 'namespaces/n/gems', cluster, 'no such path'],
  ['GET', 'namespaces/n/gems/a/scale', undefined, '404 gems.a.test "a" not found'],
  ['GET', 'namespaces/n/gems/a/b/c', undefined, '404 gems.a.test "a" not found'],
  ['DELETE', 'namespaces/n/gems/a/status', undefined, '405 delete is not supported on resources of kind "gems.a.test"'],
  ['PUT', 'namespaces/n/gems', undefined, '400 name must be provided'],
  ['constructor', 'namespaces/n/gems', undefined, '405  is not supported on resources of kind "gems.a.test"'],
  [
    'POST',
    'namespaces/n/gems',
    { terminating: true },
    '405 create not allowed while custom resource definition is terminating',
  ],
])('%s %s of %j: %s', (method, path, more, expected) => {
  expect(outcome(method, path, more)).toBe(expected)
})
