import type { ObjectMeta } from '../../../../machinery/object.ts'
import { compareText } from '../../../../machinery/text/compare.ts'

/** The part of an object that decides the order of service. */
export type Aged = { readonly metadata: ObjectMeta }

/**
 * The order in which claims are served: the oldest first, then by name, then by namespace. Timestamps of API servers are
 * RFC 3339 in UTC and whole seconds, so their texts sort as their times do.
 */
export function byAge({ metadata: a }: Aged, { metadata: b }: Aged): number {
  return (
    compareText(a.creationTimestamp ?? '', b.creationTimestamp ?? '') ||
    compareText(a.name ?? '', b.name ?? '') ||
    compareText(a.namespace ?? '', b.namespace ?? '')
  )
}
