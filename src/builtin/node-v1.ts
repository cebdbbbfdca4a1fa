// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { Toleration } from './core-v1.ts'

export type Overhead = {
  readonly podFixed?: unknown
}

export type RuntimeClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly handler?: unknown
  readonly overhead?: Unchecked<Overhead>
  readonly scheduling?: Unchecked<Scheduling>
}

export type Scheduling = {
  readonly nodeSelector?: unknown
  readonly tolerations?: Unchecked<readonly Toleration[]>
}
