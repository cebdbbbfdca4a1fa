import type { Format } from './amount.ts'
import { powerOfTen } from './power-of-ten.ts'
import { binarySuffix, decimalSuffix, LARGEST_BINARY, LARGEST_DECIMAL } from './suffix.ts'

const SMALLEST_INT64 = -(2n ** 63n)

/**
 * The canonical text of `units` × 10^-`places`: no fraction, the largest exponent that divides the value. BinarySI is used for
 * whole values of at least 1024 only. Above the largest suffix the digits grow (upstream then prints no suffix at all).
 */
export function canonicalText(units: bigint, places: number, format: Format): string {
  if (units === 0n) return '0'
  if (format === 'BinarySI') {
    const one = powerOfTen(places)
    const whole = places === 0 ? units : units / one
    if ((places === 0 || whole * one === units) && (whole >= 1024n || whole <= -1024n)) return binaryText(whole)
  }
  const digits = units.toString()
  const inSuffixes = format === 'DecimalSI' || format === 'BinarySI'
  const most = inSuffixes ? (LARGEST_DECIMAL + places) / 3 : Infinity
  const groups = Math.min(most, Math.floor(trailingZeros(digits) / 3))
  const exponent = groups * 3 - places
  const number = digits.slice(0, digits.length - groups * 3)
  if (inSuffixes) return number + decimalSuffix(exponent)
  return exponent === 0 ? number : `${number}e${exponent}`
}

function binaryText(whole: bigint): string {
  // Upstream cannot negate the smallest int64 and so finds no factors of it.
  if (whole === SMALLEST_INT64) return whole.toString()
  let rest = whole
  let power = 0
  while (power < LARGEST_BINARY && (rest & 1023n) === 0n) {
    rest >>= 10n
    power++
  }
  return rest.toString() + binarySuffix(power)
}

function trailingZeros(digits: string): number {
  let count = 0
  while (digits.charCodeAt(digits.length - 1 - count) === 48) count++
  return count
}
