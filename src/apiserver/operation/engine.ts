import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { RequestDeadline } from '../../runtime/request-deadlines.ts'
import type { Store } from '../../store/store.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { QuotaAdmission } from '../resource-quota/quota-admission.ts'
import type { Access } from '../auth/access.ts'
import type { StrategyGuards } from '../auth/strategy-guards.ts'
import type { Caller } from '../../machinery/caller.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Allocations } from '../resource/allocations.ts'
import type { YamlReader } from '../http/yaml-reader.ts'
import type { OpenWatches } from '../open-watches.ts'
import type { MessageSet } from '../protobuf/message-set.ts'
import type { Registry, Resource } from '../registry.ts'

/** What every operation works on. */
export interface Engine {
  readonly store: Store
  readonly registry: Registry
  readonly admission: AdmissionChain
  readonly quotaAdmission: QuotaAdmission
  readonly allocations: Allocations
  readonly protobuf: MessageSet
  readonly yaml: YamlReader
  readonly surroundings: Surroundings
  readonly access: Access
  readonly guards: StrategyGuards
  readonly watches: OpenWatches
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** How webhooks see a request whose body is of another kind than the object: a Scale, a Binding, an Eviction. */
export interface Guise {
  readonly subresource: string
  readonly kind: GroupVersionKind
  readonly show: (object: KubeObject) => JsonObject
  /** The object with what a webhook made of its guise. */
  readonly take: (shown: JsonObject, object: KubeObject) => KubeObject
}

/** What is asked of one object, whoever asks and over whatever wire. */
export interface ObjectRequest {
  readonly resource: Resource
  /** `''` for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly caller: Caller
  /** What the caller was allowed to do; the control plane's own writes have none. */
  readonly verb?: string
  readonly dryRun: boolean
  /** Undefined for what the control plane itself does, which takes the time that it takes. */
  readonly deadline?: RequestDeadline | undefined
  /** Who is to own the fields that this write changes; undefined: the control plane itself, which is not tracked. */
  readonly manager?: string
  /** Takes what the client should be warned of. */
  readonly warn?: (message: string) => void
  /** Undefined where webhooks see the object itself. */
  readonly guise?: Guise
  /** The options that the client gave, as webhooks are told them; kind and dryRun aside. */
  readonly options?: JsonObject
  /** Has admission been asked already, about what this write is a part of? */
  readonly admitted?: boolean
  /** Are webhooks not asked? Only for what the control plane itself needs to start: no configuration may keep it from that. */
  readonly unhooked?: boolean
}

/** An object as it stands after an operation. `text` is its JSON where it came from the store as it is served. */
export interface Outcome {
  readonly object: KubeObject
  readonly text?: string
  readonly created?: boolean
  readonly warnings?: readonly string[]
}

export const keyOf = (resource: Resource, namespace: string, name: string): string =>
  resource.served.namespaced ? `${namespace}/${name}` : name

/** Is the text of a stored record already what this version of the resource shows? */
export const isServedAsStored = (
  { conversion }: Resource,
  record: { readonly text: string; readonly revision: number },
): boolean => conversion === undefined || conversion.isServed?.(record) === true

/** A stored record in the version that the request speaks. */
export function outcomeOf(
  resource: Resource,
  record: { readonly text: string; readonly revision: number; readonly object: KubeObject },
  more: Partial<Outcome> = {},
): Outcome {
  const { conversion } = resource
  if (conversion !== undefined && !isServedAsStored(resource, record))
    return { ...more, object: conversion.fromStored(record.object) }
  return {
    ...more,
    text: record.text,
    get object() {
      return record.object
    },
  }
}
