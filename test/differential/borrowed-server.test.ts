import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { customResources } from '../../src/systems/custom-resources.ts'
import { CRD_FORMAT } from '../../src/api/definition/custom-resource.ts'
import { formatMark } from '../../src/api/kept-format.ts'
import { customVersion } from '../custom-version.ts'
import { cleanServer } from './clean-server.ts'
import { assets, borrowRealServer, type RealServer } from './real-server.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const KINDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const things = {
  group: 'left.test',
  scope: 'Cluster',
  names: { plural: 'things', kind: 'Thing' },
  versions: [customVersion('v1')],
}
const hook = {
  name: 'left.left.test',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Namespaced' }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}

interface Left {
  readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] }
}

const left = <More extends object>(more?: More, name = 'left'): Left & More =>
  ({ metadata: { name }, ...more }) as never
/** The objects that tests leave: each with the collection that it is in, which may not hold it later. */
const LEFT: readonly (readonly [collection: string, object: Left])[] = [
  ['/api/v1/namespaces', left()],
  ['/api/v1/namespaces/left/configmaps', { metadata: { name: 'left', finalizers: ['left.test/stays'] } }],
  ['/api/v1/namespaces/left/services', left({ spec: { ports: [{ port: 80 }] } })],
  ['/api/v1/namespaces/left/events', left({ involvedObject: { namespace: 'left' } })],
  ['/api/v1/namespaces/default/serviceaccounts', left()],
  [`${RBAC}/clusterroles`, left()],
  [KINDS, left({ spec: things }, 'things.left.test')],
  [HOOKS, left({ webhooks: [hook] })],
]

type Send = (method: string, path: string, body?: object) => Promise<number>

function sender({ url, token }: RealServer): Send {
  const agent = new Agent({ connect: { rejectUnauthorized: false } })
  onTestFinished(() => agent.destroy())
  return async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await agent.request({ origin: url, method, path, headers, body: text })
    await answer.body.dump()
    return answer.statusCode
  }
}

describe.skipIf(assets === undefined)('a real API server that was used by others', () => {
  test('keeps the CRDs of allot as it installs them, and loses one that somebody changed', async () => {
    await using server = await borrowRealServer()
    const send = sender(server)
    const names = customResources.map(({ resource, group }) => `${resource}.${group}`)
    for (const { crd } of customResources) expect(await send('POST', KINDS, crd)).toBeOneOf([201, 409])
    const [changed = '', ...others] = names
    const annotations = formatMark(CRD_FORMAT + 1)
    expect(await send('PATCH', `${KINDS}/${changed}`, { metadata: { annotations } })).toBe(200)
    const { kept, isAnyRemoved } = await cleanServer(server)
    expect([kept.length, isAnyRemoved]).toEqual([others.length, true])
    for (const name of names) expect(await send('GET', `${KINDS}/${name}`), name).toBe(name === changed ? 404 : 200)
  })

  test('has nothing of them when it is clean, and all that is its own', async () => {
    await using server = await borrowRealServer()
    const send = sender(server)
    for (const [collection, object] of LEFT) expect(await send('POST', collection, object), collection).toBe(201)
    await cleanServer(server)
    for (const [collection, { metadata }] of LEFT)
      expect(await send('GET', `${collection}/${metadata.name}`), collection).toBe(404)
    const own = ['nodes/fake-0', 'namespaces/default', 'namespaces/default/services/kubernetes']
    for (const path of own) expect(await send('GET', `/api/v1/${path}`), path).toBe(200)
    expect(await send('GET', `${RBAC}/clusterroles/cluster-admin`)).toBe(200)
  })
})
