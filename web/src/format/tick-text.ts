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

/**
 * The amount that is 1 in a drawing up to `most`: what draws it marks no axis of more than 17 digits. It is a power of the step between units, so
 * that marks stay round.
 */
export function drawnUnit(most: number, resource: string, hard: string): number {
  const step = kindOfAmount(resource, hard) === 'bytes' ? 1024 : 1000
  let unit = 1
  // Whole numbers between the marks still tell them apart.
  while (most / unit >= step * step) unit *= step
  return unit
}
