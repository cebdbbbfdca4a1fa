// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { ObjectReference } from './core-v1.ts'

export type Endpoint = {
  readonly addresses?: unknown
  readonly conditions?: Unchecked<EndpointConditions>
  readonly deprecatedTopology?: unknown
  readonly hints?: Unchecked<EndpointHints>
  readonly hostname?: unknown
  readonly nodeName?: unknown
  readonly targetRef?: Unchecked<ObjectReference>
  readonly zone?: unknown
}

export type EndpointConditions = {
  readonly ready?: unknown
  readonly serving?: unknown
  readonly terminating?: unknown
}

export type EndpointHints = {
  readonly forNodes?: Unchecked<readonly ForNode[]>
  readonly forZones?: Unchecked<readonly ForZone[]>
}

export type EndpointPort = {
  readonly appProtocol?: unknown
  readonly name?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
}

export type EndpointSlice = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly addressType?: unknown
  readonly endpoints?: Unchecked<readonly Endpoint[]>
  readonly ports?: Unchecked<readonly EndpointPort[]>
}

export type ForNode = {
  readonly name?: unknown
}

export type ForZone = {
  readonly name?: unknown
}
