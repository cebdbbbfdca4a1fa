import { expect, test } from 'vitest'
import { parseTarget } from './target.ts'
import { requestAction } from './request-action.ts'

function actionOf(method: string, url: string): string {
  const [path = '', search = ''] = url.split('?')
  const action = requestAction({ method, search, query: new URLSearchParams(search) }, parseTarget(path))
  if (action.type === 'path') return `${action.verb} ${action.path}`
  const { verb, group, resource, subresource, namespace, name } = action
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`} ns=${namespace} name=${name}`
}

test.each([
  ['GET', '/api/v1/pods', 'list pods ns= name='],
  ['HEAD', '/api/v1/namespaces/n/pods', 'list pods ns=n name='],
  ['GET', '/api/v1/namespaces/n/pods?watch=true', 'watch pods ns=n name='],
  ['GET', '/api/v1/namespaces/n/pods?watch=false&limit=5', 'list pods ns=n name='],
  ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da', 'list pods ns=n name=a'],
  [
    'GET',
    '/api/v1/namespaces/n/pods?watch=1&fieldSelector=metadata.name%3Da,status.phase%3DRunning',
    'watch pods ns=n name=a',
  ],
  ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name!%3Da', 'list pods ns=n name='],
  ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name', 'list pods ns=n name='],
  ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da%2Fb', 'list pods ns=n name='],
  ['DELETE', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da', 'deletecollection pods ns=n name=a'],
  ['DELETE', '/api/v1/namespaces/n/pods', 'deletecollection pods ns=n name='],
  ['DELETE', '/api/v1/namespaces/n/pods/a', 'delete pods ns=n name=a'],
  ['GET', '/api/v1/namespaces/n/pods/a?watch=true', 'get pods ns=n name=a'],
  ['GET', '/api/v1/namespaces/n/pods/a/log', 'get pods/log ns=n name=a'],
  ['POST', '/apis/apps/v1/namespaces/n/deployments', 'create deployments.apps ns=n name='],
  ['PUT', '/apis/apps/v1/namespaces/n/deployments/d/scale', 'update deployments/scale.apps ns=n name=d'],
  ['PATCH', '/api/v1/nodes/m', 'patch nodes ns= name=m'],
  ['GET', '/apis/a.test/v1/watch/namespaces/n/widgets/a', 'watch widgets.a.test ns=n name=a'],
  ['PATCH', '/apis/a.test/v1/watch/namespaces/n/widgets/a', ' widgets.a.test ns=n name=a'],
  ['DELETE', '/api/v1/watch/namespaces/n/pods', ' pods ns=n name='],
  ['POST', '/apis/a.test/v1/namespaces/n/widgets/a', 'create widgets.a.test ns=n name='],
  ['POST', '/api/v1/namespaces/n/pods/a/eviction', 'create pods/eviction ns=n name=a'],
  ['constructor', '/api/v1/nodes/m', ' nodes ns= name=m'],
  ['GET', '/api/v1/namespaces/n', 'get namespaces ns=n name=n'],
  ['PUT', '/api/v1/namespaces/n/finalize', 'update namespaces/finalize ns=n name=n'],
  ['GET', '/metrics', 'get /metrics'],
  ['POST', '/apis/apps', 'post /apis/apps'],
])('%s %s is: %s', (method, url, action) => {
  expect(actionOf(method, url)).toBe(action)
})
