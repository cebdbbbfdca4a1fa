import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { deepDerivative } from './deep-derivative.ts'
import { FIELD_MANAGER } from '../../api/field-manager.ts'

const CLUSTER_ROLES: ResourceKind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
}

/** The ClusterRoles of people. */
export interface PeopleRoles {
  readonly wanted: readonly KubeObject[]
  /** The names of those that are not to be there. */
  readonly withheld: readonly string[]
}

/** Brings the roles of people, and removes those that an earlier start with other settings brought. */
export async function ensureRoles(client: KubeClient, roles: PeopleRoles, signal: AbortSignal): Promise<void> {
  await Promise.all([
    ...roles.wanted.map((role) => apply(client, role, signal)),
    ...roles.withheld.map((name) => remove(client, name, signal)),
  ])
}

async function apply(client: KubeClient, role: KubeObject, signal: AbortSignal): Promise<void> {
  const { name = '' } = role.metadata
  const stored = await find(client, name, signal)
  if (stored !== undefined && deepDerivative(stored, role)) return
  const patch = { type: 'apply', body: role, fieldManager: FIELD_MANAGER, force: true } as const
  await client.patch(CLUSTER_ROLES, { namespace: '', name }, patch, { signal })
}

async function remove(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  if ((await find(client, name, signal)) === undefined) return
  try {
    await client.delete(CLUSTER_ROLES, { namespace: '', name }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function find(client: KubeClient, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(CLUSTER_ROLES, { namespace: '', name }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
