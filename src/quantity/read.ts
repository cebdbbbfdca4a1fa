import type { Amount } from './amount.ts'
import { lexQuantity, type QuantityParts } from './lex.ts'
import { divideAwayFromZero, powerOfTen } from './power-of-ten.ts'
import { MAX_QUANTITY_DIGITS, QuantityError } from './error.ts'
import { readSuffix } from './suffix.ts'

const FINEST = 9
const MAX_BINARY = 2n ** 63n - 1n
const MAX_KEPT_DIGITS = 18

/**
 * Reads any quantity (upstream `resource.ParseQuantity`). Finer than nano is rounded away from zero; a BinarySI magnitude is
 * capped at 2^63-1. Throws `QuantityError`.
 */
export function readQuantity(text: string): Amount {
  if (text.length > MAX_QUANTITY_DIGITS + 24) throw new QuantityError('TooLong', text)
  const parts = lexQuantity(text)
  const suffix = readSuffix(parts.suffix)
  if (suffix === undefined) throw new QuantityError('Suffix', text)
  return suffix.format === 'BinarySI'
    ? readBinary(text, parts, suffix.exponent)
    : { ...readDecimal(text, parts, suffix.exponent), format: suffix.format }
}

function readDecimal(text: string, parts: QuantityParts, suffixExponent: number): Omit<Amount, 'format'> {
  const digits = parts.whole + parts.fraction
  const exponent = suffixExponent - parts.fraction.length
  // Upstream reads a number without digits as 0 only where it fits the int64 path.
  if (!parts.hasDigits && exponent < -FINEST) throw new QuantityError('Numeric', text)
  const magnitude = BigInt(digits)
  if (magnitude === 0n) return { units: 0n, places: 0, text: undefined }
  if (digits.length + exponent > MAX_QUANTITY_DIGITS) throw new QuantityError('TooLong', text)

  const places = Math.min(FINEST, Math.ceil(Math.max(0, -exponent) / 3) * 3)
  const shift = exponent + places
  const units = shift >= 0 ? magnitude * powerOfTen(shift) : dropDigits(magnitude, -shift, digits.length)
  const kept =
    digits.length <= MAX_KEPT_DIGITS &&
    exponent >= -FINEST &&
    exponent % 3 === 0 &&
    !digits.endsWith('000') &&
    !digits.startsWith('0')
  return { units: parts.negative ? -units : units, places, text: kept ? text : undefined }
}

function dropDigits(magnitude: bigint, count: number, length: number): bigint {
  return count > length ? 1n : divideAwayFromZero(magnitude, powerOfTen(count))
}

function readBinary(text: string, parts: QuantityParts, exponent: number): Amount {
  // The digits that upstream's estimate leaves on its int64 path. Only a quantity of that path keeps its spelling.
  const digitsLeft = 15 - parts.whole.length - Math.floor((exponent * 3) / 10) - 1
  const onFastPath = parts.fraction === '' && digitsLeft >= 0
  if (!parts.hasDigits && !onFastPath) throw new QuantityError('Numeric', text)

  const scaled = BigInt(parts.whole + parts.fraction) << BigInt(exponent)
  const rounded = roundToNano(scaled, parts.fraction.length)
  const one = powerOfTen(rounded.places)
  const units = rounded.units > MAX_BINARY * one ? MAX_BINARY * one : rounded.units
  const kept = onFastPath && BigInt(parts.whole) % 8n !== 0n
  return {
    units: parts.negative ? -units : units,
    places: rounded.places,
    format: units > 0n && units < one ? 'DecimalSI' : 'BinarySI',
    text: kept ? text : undefined,
  }
}

function roundToNano(value: bigint, fractionDigits: number): { readonly units: bigint; readonly places: number } {
  const one = powerOfTen(fractionDigits)
  if (value % one === 0n) return { units: value / one, places: 0 }
  const nano = powerOfTen(FINEST)
  return { units: divideAwayFromZero(value * nano, one), places: FINEST }
}
