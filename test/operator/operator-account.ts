import { expect } from 'vitest'
import type { BareServer } from './operated.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1'
const GROUP = 'rbac.authorization.k8s.io'
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'

/** A ServiceAccount that may do what a ClusterRole of its name says. */
export interface Account {
  readonly token: string
  /** Its name as a user. */
  readonly user: string
  /** The path of its ClusterRole. */
  readonly role: string
}

let accounts = 0

/** Makes a ServiceAccount that may do what the rules say. */
export async function accountWith(server: BareServer, rules: readonly object[]): Promise<Account> {
  const name = `poor-${++accounts}`
  await created(server, ACCOUNTS, { metadata: { name } })
  await created(server, `${ROLES}/clusterroles`, { metadata: { name }, rules })
  await created(server, `${ROLES}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  })
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: null } }
  const { token } = (await created(server, `${ACCOUNTS}/${name}/token`, asked)).status
  return { token, user: `system:serviceaccount:default:${name}`, role: `${ROLES}/clusterroles/${name}` }
}

/** Lets the accounts of a namespace look after pools in the whole cluster, as those of Capsule may. Gives the path of the binding. */
export async function makePrivileged(server: BareServer, namespace: string): Promise<string> {
  const name = `keeps-pools-${namespace}`
  const rules = [{ apiGroups: ['capsule.clastix.io'], resources: ['*'], verbs: ['*'] }]
  await created(server, `${ROLES}/clusterroles`, { metadata: { name }, rules })
  await created(server, `${ROLES}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'capsule' }],
  })
  return `${ROLES}/clusterrolebindings/${name}`
}

/** Creates an object and gives it. */
export async function created(server: BareServer, path: string, object: object) {
  const { status, text, json } = await server.send('POST', path, object)
  expect(status, text).toBe(201)
  return json
}
