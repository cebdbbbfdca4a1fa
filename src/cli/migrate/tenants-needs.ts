import { resourcePoolClaim } from '../../systems/resource-pool/api/resource-pool-claim.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { Need } from '../../install/rbac/need.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'

/** The permissions that the move of Tenants of this kind needs, as far as its flags go. */
export function tenantsNeeds(
  tenants: ResourceKind,
  { dryRun, finish }: { readonly dryRun: boolean; readonly finish: boolean },
): readonly Need[] {
  const need = ({ group, resource }: Pick<ResourceKind, 'group' | 'resource'>, ...verbs: readonly string[]): Need => ({
    group,
    resource,
    verbs: ['list', ...(dryRun ? [] : verbs)],
  })
  const written = finish ? [] : ['create']
  return [
    need(tenants, ...(finish ? ['patch'] : [])),
    need({ group: '', resource: 'namespaces' }),
    need({ group: '', resource: 'resourcequotas' }),
    need(resourcePool, ...written),
    need(resourcePoolClaim, ...written, ...(finish ? [] : ['patch'])),
  ]
}
