/** A moment as RFC 3339 in whole seconds. One between two seconds is the later one. `ms`: milliseconds since the epoch. */
export const timeText = (ms: number): string =>
  `${new Date(Math.ceil(ms / 1000) * 1000).toISOString().slice(0, -'.000Z'.length)}Z`

/** The moment of a text, in milliseconds since the epoch; undefined for a text that is no time. */
export function momentOf(text: string | undefined): number | undefined {
  const moment = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(moment) ? undefined : moment
}
