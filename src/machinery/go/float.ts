const MOST_PLAIN_DIGITS = 6
const LEAST_PLAIN_POWER = -4
const FLOAT32_DIGITS = 9

/** A float64 as Go prints it with `%v`, or a float32: with as few digits as tell it from all others of its size. */
export function goFloat(value: number, bits: 32 | 64 = 64): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponent = ''] = (bits === 64 ? value.toExponential() : shortest(value)).split('e')
  const power = Number(exponent)
  // Numbers of this size are printed without an exponent here as well.
  if (power >= LEAST_PLAIN_POWER && power < MOST_PLAIN_DIGITS) return String(Number(`${mantissa}e${power}`))
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

function shortest(value: number): string {
  for (let digits = 0; digits < FLOAT32_DIGITS; digits++) {
    const text = value.toExponential(digits)
    if (Math.fround(Number(text)) === value) return text
  }
  return value.toExponential(FLOAT32_DIGITS)
}
