import type { Caller } from '../../machinery/caller.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { GroupVersionKind } from '../../machinery/group-version.ts'
import type { TimeSlice } from '../../runtime/tasks/time-slice.ts'
import type { RequestDeadline } from '../../runtime/time/request-deadlines.ts'
import type { Resource } from '../resource/registry.ts'

/** How webhooks see a request whose body is of another kind than the object: a Scale, a Binding, an Eviction. */
export interface AdmissionView {
  readonly subresource: string
  readonly kind: GroupVersionKind
  readonly show: (object: KubeObject) => JsonObject
  /** The object with what a webhook made of its admissionView. */
  readonly take: (shown: JsonObject, object: KubeObject) => KubeObject
}

/** A request for one object, from any caller and over any protocol. */
export interface ObjectRequest {
  readonly resource: Resource
  /** `''` for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly caller: Caller
  /** The verb that the caller was authorized for; the control plane's own writes have none. */
  readonly verb?: string
  readonly dryRun: boolean
  /** Undefined for what the control plane itself does, which takes the time that it takes. */
  readonly deadline?: RequestDeadline | undefined
  /** Lets other requests have their turns between the steps of a large one. */
  readonly slice?: TimeSlice | undefined
  /** Resolves when others have had their turn; undefined for what the control plane itself does. */
  readonly turn?: () => Promise<void>
  /** The manager of the fields that this write changes; undefined: the control plane itself, which is not tracked. */
  readonly manager?: string
  /** Takes what the client should be warned of. */
  readonly warn?: (message: string) => void
  /** Undefined where webhooks see the object itself. */
  readonly admissionView?: AdmissionView
  /** The client's options, as webhooks get them; without kind and dryRun. */
  readonly options?: JsonObject
  /** Has admission been asked already, about what this write is a part of? */
  readonly admitted?: boolean
  /** Are webhooks not asked? Only for what the control plane itself needs to start: no configuration may keep it from that. */
  readonly unhooked?: boolean
}
