import { Quantity, QuantityError } from '../../src/quantity/quantity.ts'

/** Why the text is no quantity; undefined for one that is. */
export function quantityRefusal(text: string): string | undefined {
  try {
    Quantity.parse(text)
    return undefined
  } catch (error) {
    if (error instanceof QuantityError && error.text === text) return error.message
    throw error
  }
}
