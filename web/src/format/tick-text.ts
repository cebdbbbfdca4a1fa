import { kindOfAmount } from './kind-of-amount.ts'

const BYTES = ['', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB']
/** As quantities have them. */
const NUMBERS = ['', 'k', 'M', 'G', 'T', 'P', 'E']

/** A mark of an axis, short: it tells where in a drawing something is, and nothing exact. */
export function tickText(tick: number, resource: string, hard: string): string {
  const [step, units] = kindOfAmount(resource, hard) === 'bytes' ? [1024, BYTES] : [1000, NUMBERS]
  let shown = tick
  let unit = 0
  while (unit < units.length - 1 && shown >= step) {
    shown /= step
    unit++
  }
  return `${Number(shown.toPrecision(4))}${units[unit] ?? ''}`
}

/** The marks of a time axis, in seconds since the epoch. They have seconds where minutes would not tell them apart. */
export function timeTexts(ticks: readonly number[]): string[] {
  const isFine = ticks.some((tick) => tick % 60 !== 0)
  const format: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    ...(isFine ? { second: '2-digit' } : {}),
  }
  return ticks.map((tick) => new Date(tick * 1000).toLocaleTimeString([], format))
}
