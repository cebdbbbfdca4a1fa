import { ifReadable, Quantity } from '../../../src/quantity/quantity.ts'

/** An amount as a place in a drawing, where the last digit does not matter; nothing is decided with it. */
export const drawnNumber = (text: string): number | null =>
  ifReadable(() => Quantity.parse(text).toApproximateNumber(), null)
