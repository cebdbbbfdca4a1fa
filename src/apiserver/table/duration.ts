const SECOND = 1000

/**
 * A span of time as kubectl prints ages: two units at most, and only one where the second no longer matters
 * (apimachinery `duration.HumanDuration`): 5s, 3m12s, 10m, 5h7m, 2d3h, 3y45d.
 * @param ms milliseconds; slightly negative spans (clocks differ) print as 0s, others as `<invalid>`
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 192) return two(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 365 * 8 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

const two = (major: number, unit: string, minor: number, lesser: string): string =>
  minor === 0 ? `${major}${unit}` : `${major}${unit}${minor}${lesser}`

/** How long ago a moment was: `<unknown>` if there is none. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>'
  const moment = Date.parse(timestamp)
  return Number.isNaN(moment) ? '<unknown>' : humanDuration(now - moment)
}
