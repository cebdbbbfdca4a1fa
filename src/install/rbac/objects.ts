import type { KubeObject } from '../../machinery/object.ts'
import { type OperatorFeature, operatorRoles } from './operator-roles.ts'
import { personaRoles, type TenantsMayCreate } from './persona-roles.ts'
import type { OperatorAccount } from './object.ts'

export interface RbacOptions extends OperatorAccount {
  readonly tenantsMayCreate: TenantsMayCreate
  /** Of the operator, besides pools, custom quotas and KarmadaQuotas; left out: none. */
  readonly features?: readonly OperatorFeature[]
}

/**
 * The roles and bindings of an installation: those of the operator, and those of people. Each option adds objects or leaves them out, and
 * changes none but for the namespace and the account.
 */
export const rbacObjects = ({ tenantsMayCreate, features = [], ...account }: RbacOptions): readonly KubeObject[] => [
  ...operatorRoles(account, features),
  ...personaRoles(tenantsMayCreate),
]
