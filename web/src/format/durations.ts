const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** A duration in its largest unit, such as `3 hours`. */
export function durationText(seconds: number): string {
  const [size, unit] = STEPS.find(([size]) => seconds >= size) ?? [1, 'second']
  const count = Math.floor(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** How long ago a time of the API server is; the text itself where it is none. */
export function agoText(time: string, now: number): string {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return time
  const seconds = (now - at) / 1000
  return seconds < 1 ? 'now' : `${durationText(seconds)} ago`
}
