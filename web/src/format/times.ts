const DAY_MS = 86_400_000

const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** The time of a day, such as `15:04:05`, in every place of the world. */
export const timeText = (at: Date): string => [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')

/** A time; with its date, where that is not within the last day, and with the year, where that is another. `now`: milliseconds since the epoch. */
export function momentText(at: Date, now: number): string {
  if (now - at.getTime() < DAY_MS) return timeText(at)
  const isOfYear = at.getFullYear() === new Date(now).getFullYear()
  const year: Intl.DateTimeFormatOptions = isOfYear ? {} : { year: 'numeric' }
  return `${at.toLocaleDateString([], { day: 'numeric', month: 'short', ...year })}, ${timeText(at)}`
}
