import type { KubeObject } from '../machinery/object.ts'
import type { CustomResource } from './definition/custom-resource.ts'
import { resourcePoolClaim } from './resource-pool-claim/resource-pool-claim.ts'
import { resourcePool } from './resource-pool/resource-pool.ts'

/** Every kind of our own: what the operator installs and `config/crd` shows. */
export const customResources: readonly CustomResource<KubeObject>[] = [resourcePool, resourcePoolClaim]
