import type { ObjectMeta } from '../../../../machinery/object.ts'

/** The part of an object that decides the order of service. */
export type Aged = { readonly metadata: ObjectMeta }

/**
 * The order in which claims are served: the oldest first, then by name, then by namespace. Timestamps of API servers are
 * RFC 3339 in UTC and whole seconds, so their texts sort as their times do.
 */
export function byAge({ metadata: a }: Aged, { metadata: b }: Aged): number {
  return (
    compareTexts(a.creationTimestamp, b.creationTimestamp) ||
    compareTexts(a.name, b.name) ||
    compareTexts(a.namespace, b.namespace)
  )
}

/** By code units, as Go compares the ASCII of names. */
export function compareTexts(a: string = '', b: string = ''): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
