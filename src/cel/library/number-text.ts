/** A double as Go's `%v` prints it: the shortest digits, with an exponent from 10^21 down to below 10^-4 aside. */
export function formatDouble(value: number, exponentFrom = 21): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= exponentFrom) {
    const width = Math.abs(exponent).toString().padStart(2, '0')
    return `${digits}e${exponent < 0 ? '-' : '+'}${width}`
  }
  return plainDecimal(value)
}

/** All digits of the shortest spelling, without an exponent. */
export function plainDecimal(value: number): string {
  const [digits = '', power = '0'] = Math.abs(value).toExponential().split('e')
  const exponent = Number(power)
  const plain = digits.replace('.', '')
  const sign = value < 0 ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${plain}`
  if (exponent >= plain.length - 1) return sign + plain.padEnd(exponent + 1, '0')
  return `${sign}${plain.slice(0, exponent + 1)}.${plain.slice(exponent + 1)}`
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const HEX = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/

/** Reads what Go's `strconv.ParseFloat` reads, with `_` between digits too, or gives `undefined`. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const plain = text.replaceAll(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '')
  if (DECIMAL.test(plain)) {
    const value = Number(plain)
    return Number.isFinite(value) ? value : undefined
  }
  const [, sign = '', whole = '', fraction = '', power = '0'] = HEX.exec(plain) ?? []
  if (whole === '' && fraction === '') return undefined
  const value = Number.parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length)
  if (!Number.isFinite(value)) return undefined
  return sign === '-' ? -value : value
}
