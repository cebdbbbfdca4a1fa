import { expect } from 'vitest'
import { AGGREGATE_TO_OPERATOR, type OperatorFeature, operatorRoles } from '../../../src/install/rbac/operator-roles.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { eventually } from '../../eventually.ts'
import type { BareServer } from '../operated.ts'

const SERVICE_ACCOUNT = 'operator'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
}

/** The account of an operator as an installation makes it, with the roles of that and no others. */
export interface InstalledAccount {
  readonly token: string
  /** The name of the account as a user. */
  readonly user: string
  /** The roles of the operator and their bindings. */
  readonly objects: readonly KubeObject[]
  /** Removes the roles and their bindings. */
  readonly uninstall: () => Promise<void>
}

/** Makes the namespace of an operator, its account and its roles. */
export async function installAccount(
  server: BareServer,
  namespace: string,
  features: readonly OperatorFeature[] = [],
): Promise<InstalledAccount> {
  const create = async (path: string, object: object) => {
    const { status, text, json } = await server.send('POST', path, object)
    expect(status, text).toBe(201)
    return json
  }
  await create('/api/v1/namespaces', { metadata: { name: namespace } })
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await create(accounts, { metadata: { name: SERVICE_ACCOUNT } })
  const objects = operatorRoles({ namespace, serviceAccount: SERVICE_ACCOUNT }, features)
  for (const object of objects) await create(placeOf(object), object)
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: null } }
  const { status } = await create(`${accounts}/${SERVICE_ACCOUNT}/token`, asked)
  return {
    token: status.token,
    user: `system:serviceaccount:${namespace}:${SERVICE_ACCOUNT}`,
    objects,
    uninstall: async () => {
      for (const object of objects.toReversed())
        await server.send('DELETE', `${placeOf(object)}/${object.metadata.name}`)
    },
  }
}

let further = 0

interface ReadRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/**
 * Lets the operator read further kinds, as an administrator does; gives the path of the ClusterRole that says which. Resolves when the
 * control plane has filled in the aggregated role.
 */
export async function allowToRead(server: BareServer, user: string, rules: readonly ReadRule[]): Promise<string> {
  const name = `further-kinds-${++further}`
  const role = { metadata: { name, labels: { [AGGREGATE_TO_OPERATOR]: 'true' } }, rules }
  const { status, text } = await server.send('POST', `${RBAC}/clusterroles`, role)
  expect(status, text).toBe(201)
  for (const { apiGroups, resources, verbs } of rules) {
    const resourceAttributes = { group: apiGroups[0], resource: resources[0], verb: verbs[0] }
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes },
    }
    await eventually(
      () => server.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review),
      ({ json }) => json.status.allowed === true,
      { what: `what ${user} may read` },
    )
  }
  return `${RBAC}/clusterroles/${name}`
}

function placeOf({ kind, metadata: { namespace } }: KubeObject): string {
  const inside = namespace === undefined ? '' : `/namespaces/${namespace}`
  return `${RBAC}${inside}/${PLURALS[kind] ?? ''}`
}
