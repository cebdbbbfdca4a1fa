import { type ClusterRight, keeperRight } from '../../kube/election/privileged-namespaces.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'

/** The right by which an account shows that it belongs to allot or Capsule: both write pools, and a tenant who only has namespaces cannot. */
export const OPERATOR_RIGHT: ClusterRight = keeperRight(resourcePool)
