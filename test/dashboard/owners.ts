import type { BareServer } from '../operator/operated.ts'
import { created } from '../operator/operator-account.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** A ServiceAccount that may do everything in its namespace. */
export interface Owner {
  readonly namespace: string
  readonly token: string
  /** The paths by which it loses what it may. */
  readonly account: string
  readonly binding: string
  /** Makes further tokens, of further ServiceAccounts of the namespace. */
  readonly mint: (count: number) => Promise<readonly string[]>
}

/** Makes a namespace with its owner. */
export async function makeOwner(
  server: BareServer,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<Owner> {
  await created(server, '/api/v1/namespaces', { metadata: { name: namespace, labels } })
  return await ownerIn(server, namespace)
}

/** Makes the owner of a namespace that there is. */
export async function ownerIn(server: BareServer, namespace: string): Promise<Owner> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await created(server, accounts, { metadata: { name: 'owner' } })
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  await created(server, `${RBAC}/namespaces/${namespace}/roles`, { metadata: { name: 'owner' }, rules })
  await created(server, `${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'owner' },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: 'owner' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'owner' }],
  })
  return {
    namespace,
    token: await tokenOf(server, `${accounts}/owner`),
    account: `${accounts}/owner`,
    binding: `${RBAC}/namespaces/${namespace}/rolebindings/owner`,
    mint: async (count) => {
      const tokens: string[] = []
      for (let at = 0; at < count; at++) {
        await created(server, accounts, { metadata: { name: `minted-${at}` } })
        tokens.push(await tokenOf(server, `${accounts}/minted-${at}`))
      }
      return tokens
    },
  }
}

async function tokenOf(server: BareServer, account: string): Promise<string> {
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: null } }
  return (await created(server, `${account}/token`, asked)).status.token
}
