import type { Quantity } from './quantity.ts'

const NANO_PLACES = 9
/** The number of digits that distinguishes any two numbers of a time series database. */
const SIGNIFICANT = 17

/** The amount in plain digits, exactly: `1.5Ki` is `1536`, `250m` is `0.25`. */
export function decimalOf(quantity: Quantity): string {
  return decimalText(quantity.scaledValue(-NANO_PLACES), NANO_PLACES)
}

/** `part` of `whole` in percent, rounded once, to 17 significant digits; 0 where `whole` is not above 0. */
export function percentageOf(part: Quantity, whole: Quantity): string {
  if (whole.sign() <= 0) return '0'
  const [numerator, denominator] = [part.scaledValue(-NANO_PLACES) * 100n, whole.scaledValue(-NANO_PLACES)]
  // Enough places for 17 digits after the first that is not 0, whatever the size.
  const places = Math.max(0, SIGNIFICANT + String(denominator).length - String(numerator).length)
  return decimalText(divideHalfUp(numerator * 10n ** BigInt(places), denominator), places)
}

function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n
  const magnitude = ((isNegative ? -numerator : numerator) * 2n + denominator) / (denominator * 2n)
  return isNegative ? -magnitude : magnitude
}

/** `units` × 10^-`places` in digits, without zeros at the end. */
function decimalText(units: bigint, places: number): string {
  const isNegative = units < 0n
  const digits = String(isNegative ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
