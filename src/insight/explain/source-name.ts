import type { CostSource } from './explanation.ts'

/** What brings a part of a cost: a container, the pod as a whole, or what has no name. */
export const sourceName = ({ container, from }: CostSource): string =>
  from === 'pod' ? "the pod's own resources" : container === '' ? 'others' : container
