import { canonicalText } from './canonical-text.ts'
import type { Format } from './amount.ts'
import { lexQuantity } from './lex.ts'
import { divideAwayFromZero, powerOfTen } from './power-of-ten.ts'
import { readPlainQuantity } from './read-plain.ts'
import { readQuantity } from './read.ts'
import { readSuffix } from './suffix.ts'

export type { Format } from './amount.ts'
export { ifReadable, QuantityError } from './error.ts'
export type { QuantityErrorCode } from './error.ts'

/**
 * An amount of a resource as Kubernetes writes it (`100m`, `1.5Gi`, `2`): exact, immutable, with the format in which it prints.
 * Source of the rules: upstream `resource.Quantity`.
 */
export class Quantity {
  /** 0, in DecimalSI. */
  static readonly zero: Quantity = new Quantity(0n, 0, 'DecimalSI', '0')

  readonly format: Format
  // The amount is units × 10^-places, with places of 0, 3, 6 or 9, so that everyday amounts are small bigints.
  private readonly units: bigint
  private readonly places: number
  private readonly text: string | undefined
  // A cache that neither freezing nor deep equality sees.
  #canonical: string | undefined

  private constructor(units: bigint, places: number, format: Format, text: string | undefined) {
    this.units = units
    this.places = places
    this.format = format
    this.text = text
  }

  /** Reads a quantity; nothing is trimmed. Throws `QuantityError`. */
  static parse(text: string): Quantity {
    if (text === '0') return Quantity.zero
    const { units, places, format, text: kept } = readPlainQuantity(text) ?? readQuantity(text)
    return new Quantity(units, places, format, kept)
  }

  /**
   * Reads a decoded JSON or YAML value as upstream's UnmarshalJSON does: a string (surrounding spaces are dropped), a number,
   * or null for 0. Throws `QuantityError`, also for values of any other type.
   */
  static fromJson(value: unknown): Quantity {
    if (typeof value === 'string') return Quantity.parse(value.trim())
    if (value === null) return Quantity.zero
    return Quantity.parse(typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? ''))
  }

  /** `value` whole units. A number must be a safe integer, else RangeError. */
  static of(value: bigint | number, format: Format = 'DecimalSI'): Quantity {
    if (typeof value === 'bigint') return new Quantity(value, 0, format, undefined)
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`)
    return new Quantity(BigInt(value), 0, format, undefined)
  }

  /** `value` × 10^`scale`, for example scale -3 for milli. Finer than nano is rounded away from zero. */
  static ofScaled(value: bigint, scale: number, format: Format = 'DecimalSI'): Quantity {
    if (scale >= 0) return new Quantity(value * powerOfTen(scale), 0, format, undefined)
    const places = Math.min(9, Math.ceil(-scale / 3) * 3)
    const shift = scale + places
    const units = shift >= 0 ? value * powerOfTen(shift) : divideAwayFromZero(value, powerOfTen(-shift))
    return new Quantity(units, places, format, undefined)
  }

  /** The exact sum. It has this one's format, or the other's where this is 0. */
  add(other: Quantity): Quantity {
    const format = this.units === 0n ? other.format : this.format
    if (this.places === other.places) return new Quantity(this.units + other.units, this.places, format, undefined)
    const places = Math.max(this.places, other.places)
    return new Quantity(this.at(places) + other.at(places), places, format, undefined)
  }

  /** The exact difference. It has this one's format, or the other's where this is 0. */
  sub(other: Quantity): Quantity {
    const format = this.units === 0n ? other.format : this.format
    if (this.places === other.places) return new Quantity(this.units - other.units, this.places, format, undefined)
    const places = Math.max(this.places, other.places)
    return new Quantity(this.at(places) - other.at(places), places, format, undefined)
  }

  /** The amount with the other sign, in the same format. */
  neg(): Quantity {
    return new Quantity(-this.units, this.places, this.format, undefined)
  }

  /** The exact product with a whole number, in the same format. */
  mul(by: bigint): Quantity {
    return new Quantity(this.units * by, this.places, this.format, undefined)
  }

  /** -1, 0 or 1 as this is below, equal to or above the other; formats do not matter. */
  cmp(other: Quantity): -1 | 0 | 1 {
    let left = this.units
    let right = other.units
    if (this.places !== other.places) {
      const places = Math.max(this.places, other.places)
      left = this.at(places)
      right = other.at(places)
    }
    if (left === right) return 0
    return left < right ? -1 : 1
  }

  /** Whether both are the same amount, however written. */
  equals(other: Quantity): boolean {
    return this.cmp(other) === 0
  }

  /** Whether the amount is 0, in whatever format. */
  isZero(): boolean {
    return this.units === 0n
  }

  /** -1, 0 or 1 as the amount is below, equal to or above 0. */
  sign(): -1 | 0 | 1 {
    if (this.units === 0n) return 0
    return this.units < 0n ? -1 : 1
  }

  /** This, rounded away from zero to a multiple of 10^`scale` (0 for whole units, -3 for milli). */
  roundUp(scale: number): Quantity {
    if (this.text !== undefined && keptScale(this.text) >= scale) return this
    const drop = scale + this.places
    if (drop <= 0) return new Quantity(this.units, this.places, this.format, undefined)
    const step = powerOfTen(drop)
    return new Quantity(divideAwayFromZero(this.units, step) * step, this.places, this.format, undefined)
  }

  /** Whole units, rounded away from zero. */
  value(): bigint {
    return this.scaledValue(0)
  }

  /** Thousandths, rounded away from zero. */
  milliValue(): bigint {
    return this.scaledValue(-3)
  }

  /** How many 10^`scale` this is, rounded away from zero. */
  scaledValue(scale: number): bigint {
    const drop = scale + this.places
    return drop <= 0 ? this.units * powerOfTen(-drop) : divideAwayFromZero(this.units, powerOfTen(drop))
  }

  /** The nearest float, for metrics and bars only: never calculate with it. */
  toApproximateNumber(): number {
    return Number(`${this.units}e-${this.places}`)
  }

  /** The same amount that prints in another format. */
  withFormat(format: Format): Quantity {
    return format === this.format ? this : new Quantity(this.units, this.places, format, undefined)
  }

  /** The text as Kubernetes writes it: what was parsed where upstream keeps that spelling, else the canonical form. */
  toString(): string {
    return this.text ?? this.canonical()
  }

  /** The canonical form, whatever was parsed. */
  canonical(): string {
    this.#canonical ??= canonicalText(this.units, this.places, this.format)
    return this.#canonical
  }

  /** Returns the text that JSON holds, which is that of `toString`. */
  toJSON(): string {
    return this.toString()
  }

  /** Lets `${quantity}` work and makes `a < b`, which would compare texts, throw. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'number') throw new TypeError('quantities are compared with cmp and calculated with add and sub')
    return this.toString()
  }

  private at(places: number): bigint {
    return places === this.places ? this.units : this.units * powerOfTen(places - this.places)
  }
}

// The power of ten at which upstream holds a number whose spelling it keeps; rounding at or below it keeps the spelling.
function keptScale(text: string): number {
  const { fraction, suffix } = lexQuantity(text)
  const read = readSuffix(suffix)
  return read === undefined || read.format === 'BinarySI' ? 0 : read.exponent - fraction.length
}
