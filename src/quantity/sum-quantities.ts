import { Quantity } from './quantity.ts'
import { QuantityError } from './quantity-error.ts'

/**
 * The sum of the quantities in a text, such as a JSONPath's output, that are separated by white space; it has the format of
 * the first that is not 0. Throws `QuantityError`: code `Empty` where there is none, else the first bad one's.
 */
export function sumQuantities(text: string): Quantity {
  const tokens = text.split(/\s+/).filter((token) => token !== '')
  if (tokens.length === 0) throw new QuantityError('Empty', text)
  return tokens.reduce((sum, token) => sum.add(Quantity.parse(token)), Quantity.zero)
}
