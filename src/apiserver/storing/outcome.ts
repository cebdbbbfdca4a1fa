import type { KubeObject } from '../../machinery/object.ts'
import type { Resource } from '../resource/registry.ts'

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
