import type { ReplicationController, ReplicationControllerSpec } from '../../builtin/core-v1.ts'
import type {
  Deployment,
  DeploymentSpec,
  ReplicaSet,
  ReplicaSetSpec,
  StatefulSet,
  StatefulSetSpec,
} from '../../builtin/apps-v1.ts'
import { set } from '../rule/change.ts'
import { countOf, specOf, statusOf } from '../../machinery/read.ts'
import { selectorText } from '../rule/label-selector.ts'
import type { ScaleRules } from './strategy.ts'

/** The built-in kinds that have a scale. */
type Scaled = Deployment | ReplicaSet | ReplicationController | StatefulSet
type ScaledSpec = DeploymentSpec | ReplicaSetSpec | ReplicationControllerSpec | StatefulSetSpec

/** Scaling sets `spec.replicas`, which is 1 where it was never said. */
export const scaleBy = (selector: (spec: ScaledSpec) => string): ScaleRules => ({
  replicasPath: ['spec', 'replicas'],
  specReplicas: (object: Scaled) => countOf(specOf(object).replicas),
  statusReplicas: (object: Scaled) => countOf(statusOf(object).replicas),
  selector: (object: Scaled) => selector(specOf(object)),
  withReplicas: (object: Scaled, replicas) => set(object, 'spec', set(specOf(object), 'replicas', replicas)),
})

/** The same for kinds whose selector is a label selector. */
export const scale: ScaleRules = scaleBy((spec) => selectorText(spec.selector))
