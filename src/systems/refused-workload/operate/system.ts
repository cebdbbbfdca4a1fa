import { REFUSED_WORKLOAD_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { OperatorSystem } from '../../../operator/system.ts'
import { RefusedWorkloadController } from './controller.ts'

/**
 * Tells owners of workloads that quotas refuse pods of theirs, and when the workloads go on. It writes to the objects that people look at.
 */
export const refusedWorkloadSystem: OperatorSystem = {
  name: 'refused-workloads',
  crds: [],
  needs: [],
  wishes: REFUSED_WORKLOAD_NEEDS,
  start: (context) => ({ controllers: () => [new RefusedWorkloadController(context)] }),
}
