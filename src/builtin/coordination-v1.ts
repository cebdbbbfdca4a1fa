// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type Lease = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<LeaseSpec>
}

export type LeaseSpec = {
  readonly acquireTime?: unknown
  readonly holderIdentity?: unknown
  readonly leaseDurationSeconds?: unknown
  readonly leaseTransitions?: unknown
  readonly preferredHolder?: unknown
  readonly renewTime?: unknown
  readonly strategy?: unknown
}
