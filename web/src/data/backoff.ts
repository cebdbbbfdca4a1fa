const FIRST_MS = 500
const LONGEST_MS = 30_000

/** How long to wait after so many failures in a row; `chance`, from 0 to 1, spreads pages that failed together. */
export function backoffMs(failures: number, chance: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1))
  return Math.round(most / 2 + (most / 2) * chance)
}
