import { MOST_PATCH_WEIGHT, MOST_OBJECT_WEIGHT, MOST_WEIGHT } from '../../machinery/value-weight.ts'

/** Administrators alone make these, and their schemas are large. */
const LARGE = 'CustomResourceDefinition'

/** The most that the body of a request for an object of a kind may weigh. */
export const mostWeight = (kind: string): number => (kind === LARGE ? MOST_WEIGHT : MOST_OBJECT_WEIGHT)

/** The most that a patch of an object of a kind may weigh, an applied configuration among them. */
export const mostPatchWeight = (kind: string): number => (kind === LARGE ? MOST_WEIGHT : MOST_PATCH_WEIGHT)
