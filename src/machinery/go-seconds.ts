import { wholeNumber } from './json-value.ts'

const NANOSECONDS = 1_000_000_000n
const PER_MILLISECOND = 1_000_000n

/**
 * The milliseconds that a number of seconds lasts. Go counts them in nanoseconds of 64 bits, which overflow after 292 years:
 * a longer time is as long here as it is there, so that a time of the API always results. A value that is not a whole number counts as 0.
 */
export function lastingMs(seconds: unknown): number {
  const whole = wholeNumber(seconds) ?? 0n
  return Number(BigInt.asIntN(64, whole * NANOSECONDS) / PER_MILLISECOND)
}
