const TABLE: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

/** 10 to the `exponent` (a whole number, at least 0). */
export function powerOfTen(exponent: number): bigint {
  return TABLE[exponent] ?? 10n ** BigInt(exponent)
}

/** `value / divisor` (divisor above 0), rounded away from zero: a quantity never becomes smaller by rounding. */
export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  if (quotient * divisor === value) return quotient
  return value < 0n ? quotient - 1n : quotient + 1n
}
