import { MOST_APPLIED_WEIGHT, MOST_OBJECT_WEIGHT, MOST_WEIGHT } from '../../machinery/value-weight.ts'

/** Administrators alone make these, and their schemas are large. */
const LARGE = 'CustomResourceDefinition'

/** The most that the body of a request for an object of a kind may weigh. */
export const mostWeight = (kind: string): number => (kind === LARGE ? MOST_WEIGHT : MOST_OBJECT_WEIGHT)

/** The most that a configuration may weigh that is applied to an object of a kind. */
export const mostAppliedWeight = (kind: string): number => (kind === LARGE ? MOST_WEIGHT : MOST_APPLIED_WEIGHT)
