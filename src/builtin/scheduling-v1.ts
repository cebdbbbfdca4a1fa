// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'

export type PriorityClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly description?: unknown
  readonly globalDefault?: unknown
  readonly preemptionPolicy?: unknown
  readonly value?: unknown
}
