import type { Format } from './amount.ts'

/** The meaning of a suffix: a factor of 10^`exponent`, or of 2^`exponent` for BinarySI. */
export interface Suffix {
  readonly format: Format
  readonly exponent: number
}

const DECIMAL: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** The exponent of the largest decimal suffix, `E`. */
export const LARGEST_DECIMAL = 18

/** How many factors of 1024 the largest binary suffix, `Ei`, stands for. */
export const LARGEST_BINARY = 6

/** A suffix with a name; its amounts are counted in units of `factor` × 10^-`places` (exact: a power of ten or two). */
export interface NamedSuffix extends Suffix {
  readonly factor: number
  readonly places: number
}

const NAMED: ReadonlyMap<string, NamedSuffix> = new Map([
  ...DECIMAL.map((name, index) => [name, decimal(index * 3 - 9)] as const),
  ...BINARY.slice(1).map((name, index) => [name, binary(index * 10 + 10)] as const),
])

function decimal(exponent: number): NamedSuffix {
  return { format: 'DecimalSI', exponent, factor: exponent > 0 ? 10 ** exponent : 1, places: Math.max(0, -exponent) }
}

function binary(exponent: number): NamedSuffix {
  return { format: 'BinarySI', exponent, factor: 2 ** exponent, places: 0 }
}

/** Returns the meaning of a decimal or binary suffix; undefined for any other text. */
export function namedSuffix(text: string): NamedSuffix | undefined {
  return NAMED.get(text)
}

// An exponent of more digits is not a number for upstream either (it reads 64 bits).
const EXPONENT = /^[eE]([+-]?)0*(\d{1,15})$/

/** The meaning of a suffix, or undefined where it has none. `1E` is exa, `1E0` an exponent. */
export function readSuffix(text: string): Suffix | undefined {
  const named = NAMED.get(text)
  if (named !== undefined) return named
  const match = EXPONENT.exec(text)
  if (match === null) return undefined
  const magnitude = Number(match[2])
  return { format: 'DecimalExponent', exponent: match[1] === '-' ? -magnitude : magnitude }
}

/** The suffix of 10^`exponent` (a multiple of 3 from -9 to 18). */
export function decimalSuffix(exponent: number): string {
  return DECIMAL[exponent / 3 + 3] ?? ''
}

/** The suffix of 1024^`power` (0 to 6). */
export function binarySuffix(power: number): string {
  return BINARY[power] ?? ''
}
