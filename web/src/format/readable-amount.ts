import { Quantity } from '../../../src/quantity/quantity.ts'
import { ifReadable } from '../../../src/quantity/error.ts'
import { decimalOf } from '../../../src/quantity/exact-decimal.ts'
import { type AmountKind, kindOfAmount } from './kind-of-amount.ts'

/** Quantities are exact to a billionth. */
const FINEST = -9
const BILLION = 1_000_000_000n
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
const FEWEST_PLACES = 1
const MOST_PLACES = 9

/**
 * An amount as people read it, such as `1.5 GiB`. It is cut, never rounded up: what is below a limit is not shown as the limit. `hard`: the limit
 * that the amount is of, which may tell the unit.
 */
export function readableAmount(text: string, resource: string, hard = text): string {
  return written(text, kindOfAmount(resource, hard), FEWEST_PLACES)
}

/** Usage and limit as people read them, with the unit said once where both have it. */
export function readablePair(used: string, hard: string, resource: string): readonly [used: string, hard: string] {
  const pair = toldApart(used, hard, resource)
  return [withoutUnitOf(...pair), pair[1]]
}

/** Two amounts as people read them, each with its unit. Where they differ they are written with as many digits as tell them apart. */
export function toldApart(used: string, hard: string, resource: string): readonly [used: string, hard: string] {
  const kind = kindOfAmount(resource, hard)
  for (let places = FEWEST_PLACES; places < MOST_PLACES; places++) {
    const pair = [written(used, kind, places), written(hard, kind, places)] as const
    if (pair[0] !== pair[1] || areEqual(used, hard)) return pair
  }
  return [used, hard]
}

/** The unit is said once where both have it. */
function withoutUnitOf(used: string, hard: string): string {
  const [number = '', unit] = used.split(' ')
  return unit !== undefined && hard.split(' ')[1]?.replace(/^cores?$/, unit) === unit ? number : used
}

const areEqual = (a: string, b: string): boolean =>
  a === b || ifReadable(() => Quantity.parse(a).equals(Quantity.parse(b)), false)

/** What cannot be read is shown as it is. */
function written(text: string, kind: AmountKind, places: number): string {
  return ifReadable(() => inUnits(Quantity.parse(text), kind, places), text)
}

function inUnits(amount: Quantity, kind: AmountKind, places: number): string {
  if (kind === 'number') return grouped(decimalOf(amount))
  const billionths = amount.scaledValue(FINEST)
  if (kind === 'bytes') return inBytes(billionths, places)
  const number = grouped(cut(billionths, BILLION, places + 2))
  return `${number} ${number === '1' ? 'core' : 'cores'}`
}

function inBytes(billionths: bigint, places: number): string {
  const size = billionths < 0n ? -billionths : billionths
  let unit = 0
  let whole = BILLION
  while (unit < BYTE_UNITS.length - 1 && size >= whole * 1024n) {
    unit++
    whole *= 1024n
  }
  // Three digits in all, as in 2.05 GiB: fewer would not be what a refusal says.
  const isOneDigit = unit > 0 && size < whole * 10n
  return `${grouped(cut(billionths, whole, isOneDigit ? places + 1 : places))} ${BYTE_UNITS[unit] ?? ''}`
}

/** The quotient in digits, with at most so many places, cut towards zero. */
function cut(dividend: bigint, divisor: bigint, places: number): string {
  const isNegative = dividend < 0n
  const scaled = ((isNegative ? -dividend : dividend) * 10n ** BigInt(places)) / divisor
  const digits = String(scaled).padStart(places + 1, '0')
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${isNegative ? '-' : ''}${digits.slice(0, digits.length - places)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Digits in groups of three. */
function grouped(number: string): string {
  const [whole = '', fraction] = number.split('.')
  const groups = whole.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, '\u202F')
  return fraction === undefined ? groups : `${groups}.${fraction}`
}
