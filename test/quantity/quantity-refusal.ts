import { Quantity, QuantityError } from '../../src/quantity/quantity.ts'

/** The parse error of an invalid quantity; undefined for a valid one. */
export function quantityRefusal(text: string): string | undefined {
  try {
    Quantity.parse(text)
    return undefined
  } catch (error) {
    if (error instanceof QuantityError && error.text === text) return error.message
    throw error
  }
}
