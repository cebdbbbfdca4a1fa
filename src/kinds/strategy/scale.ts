import type { JsonObject } from '../../machinery/object.ts'
import { set } from '../rule/change.ts'
import { countOf, specOf, statusOf } from '../../machinery/read.ts'
import { selectorText } from '../rule/label-selector-rule.ts'
import type { ScaleRules } from './strategy.ts'

/** Scaling sets `spec.replicas`, which is 1 where it was never said. */
export const scaleBy = (selector: (spec: JsonObject) => string): ScaleRules => ({
  replicasPath: ['spec', 'replicas'],
  specReplicas: (object) => countOf(specOf(object).replicas),
  statusReplicas: (object) => countOf(statusOf(object).replicas),
  selector: (object) => selector(specOf(object)),
  withReplicas: (object, replicas) => set(object, 'spec', set(specOf(object), 'replicas', replicas)),
})

/** The same for kinds whose selector is a label selector. */
export const scale: ScaleRules = scaleBy((spec) => selectorText(spec.selector))
