import { REFUSED_WORKLOAD_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { OperatorSystem } from '../../../operator/system.ts'
import { RefusedWorkloadController } from './controller.ts'

/** Tells of workloads, on the objects that people look at, that quotas refuse what they make, and when they go on. */
export const refusedWorkloadSystem: OperatorSystem = {
  name: 'refused-workloads',
  crds: [],
  needs: [],
  wishes: REFUSED_WORKLOAD_NEEDS,
  start: (context) => ({ controllers: () => [new RefusedWorkloadController(context)] }),
}
