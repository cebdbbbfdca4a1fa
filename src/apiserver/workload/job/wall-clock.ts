const UTC = 'UTC'
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const two = '2-digit'
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
  formats.set(zone, made)
  return made
}

/** How far the clocks of a time zone are ahead of UTC at a moment. All in milliseconds. */
export function offsetAt(zone: string, moment: number): number {
  if (zone === UTC) return 0
  const whole = Math.floor(moment / 1000) * 1000
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(whole)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole
}

/** Returns the time that the clocks of a time zone show, as the time at which clocks of UTC show the same. */
export const wallTime = (zone: string, moment: number): number => moment + offsetAt(zone, moment)

/** RFC 3339 with the offset of the zone, as Go writes it. */
export function zonedTimestamp(zone: string, moment: number): string {
  const minutes = Math.trunc(offsetAt(zone, moment) / 60_000)
  const clock = new Date(moment + minutes * 60_000).toISOString().slice(0, 19)
  if (minutes === 0) return `${clock}Z`
  const two = (number: number): string => String(number).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${clock}${minutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`
}
