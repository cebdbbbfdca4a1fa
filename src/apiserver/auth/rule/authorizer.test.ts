import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../machinery/object.ts'
import { Store } from '../../../store/store.ts'
import type { Caller } from '../../../machinery/caller.ts'
import type { Action } from '../request/action.ts'
import { Authorizer } from './authorizer.ts'

const API = 'rbac.authorization.k8s.io'
const BUCKETS: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
}

let store: Store
let authorizer: Authorizer
beforeEach(async () => {
  store = await Store.open({ memory: true }, { freeze: true })
  authorizer = new Authorizer(store)
})
afterEach(async () => {
  authorizer.stop()
  await store.close()
})

const bucketOf = ({ kind }: KubeObject): string => `${BUCKETS[kind]}.${API}`
const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`

async function put(object: KubeObject): Promise<void> {
  const [bucket, key] = [bucketOf(object), keyOf(object)]
  const found = store.latest(bucket, key)
  await store.commit([
    { type: 'put', bucket, key, object, expect: found === undefined ? 'absent' : { revision: found.revision } },
  ])
}

async function drop(object: KubeObject): Promise<void> {
  const [bucket, key] = [bucketOf(object), keyOf(object)]
  await store.commit([
    { type: 'delete', bucket, key, object, expect: { revision: store.latest(bucket, key)!.revision } },
  ])
}

const object = (kind: string, metadata: KubeObject['metadata'], more: object): KubeObject => ({
  apiVersion: `${API}/v1`,
  kind,
  metadata,
  ...more,
})
const rules = (verbs: string, resources: string): object => ({
  rules: [{ verbs: verbs.split(' '), apiGroups: [''], resources: resources.split(' ') }],
})
const clusterRole = (name: string, verbs: string, resources: string): KubeObject =>
  object('ClusterRole', { name }, rules(verbs, resources))
const user = (name: string): object => ({ kind: 'User', apiGroup: API, name })
const clusterBinding = (role: string, ...subjects: object[]): KubeObject =>
  object(
    'ClusterRoleBinding',
    { name: `to-${role}` },
    { roleRef: { apiGroup: API, kind: 'ClusterRole', name: role }, subjects },
  )
const binding = (namespace: string, kind: string, role: string, ...subjects: object[]): KubeObject =>
  object('RoleBinding', { namespace, name: `to-${role}` }, { roleRef: { apiGroup: API, kind, name: role }, subjects })

const caller = (name: string, ...groups: string[]): Caller => ({ name, groups })
const get = (resource: string, namespace = '', name = ''): Action => ({
  type: 'resource',
  verb: 'get',
  group: '',
  resource,
  subresource: '',
  namespace,
  name,
})
const may = (who: Caller, action: Action): boolean => authorizer.decide(who, action).allowed

describe('the authorizer', () => {
  test('lets administrators do everything and others nothing, without rules', () => {
    expect([may(caller('a', 'system:masters'), get('pods')), may(caller('b'), get('pods'))]).toEqual([true, false])
  })

  test('follows roles and bindings as they come, change and go', async () => {
    const seen: boolean[] = []
    const look = (): number => seen.push(may(caller('jane'), get('pods', 'shop')))
    const bound = clusterBinding('reader', user('jane'))
    for (const step of [
      () => put(bound),
      () => put(clusterRole('reader', 'get', 'pods')),
      () => put(clusterRole('reader', 'list', 'pods')),
      () => put(clusterRole('reader', '*', '*')),
      () => put({ ...bound, subjects: [user('joe')] }),
      () => put({ ...bound, subjects: [user('joe'), user('jane')] }),
      () => drop(bound),
    ]) {
      await step()
      look()
    }
    expect(seen).toEqual([false, true, false, true, false, true, false])
  })

  test('knows what was there before it', async () => {
    await put(clusterRole('reader', 'get', 'pods'))
    await put(clusterBinding('reader', user('jane')))
    const late = new Authorizer(store)
    expect(late.decide(caller('jane'), get('pods')).allowed).toBe(true)
    late.stop()
  })

  test('keeps a binding of a namespace to that namespace', async () => {
    await put(clusterRole('reader', 'get', 'pods nodes'))
    await put(binding('shop', 'ClusterRole', 'reader', user('jane')))
    expect([
      may(caller('jane'), get('pods', 'shop')),
      may(caller('jane'), get('pods', 'bank')),
      may(caller('jane'), get('nodes')),
    ]).toEqual([true, false, false])
  })

  test('takes a Role from the namespace of its binding', async () => {
    await put(object('Role', { namespace: 'shop', name: 'reader' }, rules('get', 'pods')))
    await put(binding('bank', 'Role', 'reader', user('jane')))
    expect(authorizer.decide(caller('jane'), get('pods', 'bank'))).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "reader" not found',
    })
  })

  test('knows users, groups and service accounts apart', async () => {
    await put(clusterRole('reader', 'get', 'pods'))
    await put(
      clusterBinding(
        'reader',
        { kind: 'Group', apiGroup: API, name: 'dev' },
        { kind: 'ServiceAccount', name: 'robot', namespace: 'shop' },
      ),
    )
    expect([
      may(caller('dev'), get('pods')),
      may(caller('x', 'dev'), get('pods')),
      may(caller('robot'), get('pods')),
      may(caller('system:serviceaccount:shop:robot'), get('pods')),
      may(caller('x', 'system:serviceaccount:shop:robot'), get('pods')),
    ]).toEqual([false, true, false, true, false])
  })

  test('says which binding allows it', async () => {
    await put(clusterRole('reader', 'get', 'pods'))
    await put(binding('shop', 'ClusterRole', 'reader', { kind: 'ServiceAccount', name: 'robot' }))
    expect(authorizer.decide(caller('system:serviceaccount:shop:robot'), get('pods', 'shop')).reason).toBe(
      'RBAC: allowed by RoleBinding "to-reader/shop" of ClusterRole "reader" to ServiceAccount "robot/shop"',
    )
  })

  test('allows names only to requests for them', async () => {
    await put(
      object(
        'ClusterRole',
        { name: 'one' },
        { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }] },
      ),
    )
    await put(clusterBinding('one', user('jane')))
    expect(['a', 'b', ''].map((name) => may(caller('jane'), get('pods', 'shop', name)))).toEqual([true, false, false])
  })

  test('lists the rules that hold in a namespace', async () => {
    await put(clusterRole('reader', 'get', 'pods'))
    await put(clusterBinding('reader', user('jane')))
    await put(binding('shop', 'Role', 'gone', user('jane')))
    expect(authorizer.rulesFor(caller('jane'), 'shop')).toEqual({
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [], nonResourceURLs: [] }],
      errors: ['role.rbac.authorization.k8s.io "gone" not found'],
    })
  })
})
