import type { Amount } from './amount.ts'
import { namedSuffix } from './suffix.ts'

// So many digits are always a safe integer.
const MOST_DIGITS = 15

/**
 * Reads the everyday shape, digits without a leading zero and an SI suffix (`2`, `100m`, `128Mi`), where the amount is a safe
 * integer of its unit; undefined for every other text. A shortcut: `readQuantity` gives the same amount, only slower.
 */
export function readPlainQuantity(text: string): Amount | undefined {
  let number = 0
  let at = 0
  for (; at < text.length && at <= MOST_DIGITS; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    number = number * 10 + digit
  }
  if (at === 0 || at > MOST_DIGITS || text.length - at > 2 || text.startsWith('0')) return undefined
  const suffix = namedSuffix(text.slice(at))
  if (suffix === undefined) return undefined
  const units = number * suffix.factor
  if (units > Number.MAX_SAFE_INTEGER) return undefined
  // Without a sign, a fraction or a leading zero the text is canonical unless a larger suffix divides it.
  const isCanonical = number % (suffix.format === 'BinarySI' ? 1024 : 1000) !== 0
  return { units: BigInt(units), places: suffix.places, format: suffix.format, text: isCanonical ? text : undefined }
}
