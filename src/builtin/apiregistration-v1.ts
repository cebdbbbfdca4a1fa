// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type APIService = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<APIServiceSpec>
  readonly status?: Unchecked<APIServiceStatus>
}

export type APIServiceCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type APIServiceSpec = {
  readonly caBundle?: unknown
  readonly group?: unknown
  readonly groupPriorityMinimum?: unknown
  readonly insecureSkipTLSVerify?: unknown
  readonly service?: Unchecked<ServiceReference>
  readonly version?: unknown
  readonly versionPriority?: unknown
}

export type APIServiceStatus = {
  readonly conditions?: Unchecked<readonly APIServiceCondition[]>
}

export type ServiceReference = {
  readonly name?: unknown
  readonly namespace?: unknown
  readonly port?: unknown
}
