import { compareText } from '../../machinery/text/compare.ts'
import type { NotSeen } from '../../reading/visible-objects.ts'

/** What could not be read, each resource once, in an order that does not depend on which answer came first. */
export const inOrder = (notSeen: readonly NotSeen[]): readonly NotSeen[] =>
  [...new Map(notSeen.map((one) => [one.resource, one])).values()].toSorted((a, b) =>
    compareText(a.resource, b.resource),
  )
