// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type LeaseCandidate = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<LeaseCandidateSpec>
}

export type LeaseCandidateSpec = {
  readonly binaryVersion?: unknown
  readonly emulationVersion?: unknown
  readonly leaseName?: unknown
  readonly pingTime?: unknown
  readonly renewTime?: unknown
  readonly strategy?: unknown
}
