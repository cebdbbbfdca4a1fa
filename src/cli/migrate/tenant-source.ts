import { CAPSULE_GROUP } from '../../api/capsule.ts'
import { type ResourcePool, resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import { readGroups, readResources } from '../../kube/client/server-discovery-document.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { MigrateError } from '../../migrate/error.ts'
import { isTenant, TENANT_LABEL } from '../../migrate/tenant/quotas.ts'
import { offeredNow } from '../../operator/shell/offered-now.ts'
import { builtinKinds } from './builtin-kinds.ts'
import { readManifestPaths } from '../reading/read-manifest-paths.ts'

/** The objects that a migration of Tenants starts from. */
export interface TenantSource {
  readonly tenants: readonly KubeObject[]
  readonly quotas: readonly ResourceQuota[]
  readonly pools: readonly ResourcePool[]
  readonly claims: readonly ResourcePoolClaim[]
  readonly offered: OfferedResources
  /** The namespaces that the label says belong to a Tenant, by Tenant; undefined where only files are known. */
  readonly labelled: ReadonlyMap<string, ReadonlySet<string>> | undefined
}

/** Rejects with MigrateError. */
export async function sourceInFiles(files: readonly string[], isRecursive: boolean): Promise<TenantSource> {
  const objects = await readManifestPaths(files, { flag: '--filename', isRecursive })
  const tenants = objects.filter(isTenant)
  if (tenants.length === 0)
    throw new MigrateError(
      `there is no Tenant in ${files.join(', ')}`,
      'give Tenants of Capsule, and their ResourceQuotas',
    )
  return {
    tenants,
    quotas: objects.filter(isResourceQuota),
    pools: objects.filter((one) => isOf(resourcePool, one)).map(resourcePool.read),
    claims: objects.filter((one) => isOf(resourcePoolClaim, one)).map(resourcePoolClaim.read),
    offered: builtinKinds().offered,
    labelled: undefined,
  }
}

const isOf = (of: { readonly apiVersion: string; readonly kind: string }, { apiVersion, kind }: KubeObject): boolean =>
  apiVersion === of.apiVersion && kind === of.kind

const NAMESPACES: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}
const QUOTAS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}

/** Rejects with MigrateError, and as `KubeClient` does. */
export async function sourceInCluster(
  client: KubeClient,
  kind: ResourceKind,
  signal: AbortSignal,
): Promise<TenantSource> {
  const list = async (of: ResourceKind, labelSelector?: string): Promise<readonly KubeObject[]> =>
    (await client.list(of, { signal, ...(labelSelector === undefined ? {} : { labelSelector }) })).items
  try {
    const [tenants, quotas, pools, claims, namespaces, offered] = await Promise.all([
      list(kind),
      list(QUOTAS),
      list(resourcePool),
      list(resourcePoolClaim),
      list(NAMESPACES, TENANT_LABEL),
      offeredNow(client, signal),
    ])
    const labelled = Map.groupBy(namespaces, ({ metadata }) => metadata.labels?.[TENANT_LABEL] ?? '')
    return {
      tenants,
      quotas: quotas.filter(isResourceQuota),
      pools: pools.map(resourcePool.read),
      claims: claims.map(resourcePoolClaim.read),
      offered,
      labelled: new Map(
        [...labelled].map(([tenant, all]) => [tenant, new Set(all.map(({ metadata }) => metadata.name ?? ''))]),
      ),
    }
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new MigrateError('the API server serves no ResourcePools', 'install allot first (allot install)')
  }
}

/** The kind of Tenants in the version that the API server prefers. Rejects with MigrateError where there is none. */
export async function tenantKind(client: KubeClient, signal: AbortSignal): Promise<ResourceKind> {
  const groups = readGroups(await client.request('GET', '/apis', undefined, { signal }))
  const versions = groups.find(({ group }) => group === CAPSULE_GROUP)?.versions ?? []
  for (const version of versions) {
    const document = await client.request('GET', `/apis/${CAPSULE_GROUP}/${version}`, undefined, { signal })
    const found = readResources(CAPSULE_GROUP, version, document).find(({ kind }) => kind === 'Tenant')
    if (found !== undefined) return found
  }
  throw new MigrateError(
    'the API server serves no Tenants of Capsule',
    'name another with --kubeconfig or --context, or give files with --filename',
  )
}
