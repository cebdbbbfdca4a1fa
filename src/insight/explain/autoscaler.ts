import type { HorizontalPodAutoscaler } from '../../builtin/autoscaling-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { textAt } from '../../machinery/read.ts'

/** Does an autoscaler set the replicas of a workload? */
export const scales = (autoscaler: HorizontalPodAutoscaler, { kind, metadata }: KubeObject): boolean =>
  textAt(autoscaler, 'spec', 'scaleTargetRef', 'kind') === kind &&
  textAt(autoscaler, 'spec', 'scaleTargetRef', 'name') === metadata.name
