/** A finite double as a fraction. */
function fractionOf(value: number): { readonly numerator: bigint; readonly denominator: bigint } {
  let mantissa = Math.abs(value)
  let power = 0
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    power++
  }
  return { numerator: BigInt(mantissa), denominator: 2n ** BigInt(power) }
}

/** The whole number nearest to a fraction; a half goes to the even one. */
function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const twice = 2n * (numerator % denominator)
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n
  return quotient
}

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '')

/** As `%.nf` prints in English: exact digits, with a comma between thousands. */
export function exactFixed(value: number, places: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return `${signOf(value)}∞`
  const { numerator, denominator } = fractionOf(value)
  const digits = roundHalfEven(numerator * 10n ** BigInt(places), denominator)
    .toString()
    .padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return signOf(value) + (places === 0 ? whole : `${whole}.${digits.slice(-places)}`)
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/**
 * As `%e` prints in English: `1.234500×10⁰³`. cel-go reads the precision of the clause as the least width; there are
 * always six digits behind the point.
 */
export function exactScientific(value: number, width: number): string {
  if (Number.isNaN(value)) return 'NaN'.padStart(width)
  if (!Number.isFinite(value)) return `${signOf(value)}∞`.padStart(width)
  const [digits = '', power = '0'] = Math.abs(value).toExponential(6).split('e')
  const exponent = Number(power)
  const raised = Array.from(Math.abs(exponent).toString().padStart(2, '0'), (digit) =>
    RAISED.charAt(Number(digit)),
  ).join('')
  return `${signOf(value)}${digits}×10${exponent < 0 ? '⁻' : ''}${raised}`.padStart(width)
}
