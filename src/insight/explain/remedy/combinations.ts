/** All choices of so many, in their order. */
export function* combinations<T>(of: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield []
  else
    for (const [index, one] of of.entries())
      if (index >= from) for (const rest of combinations(of, size - 1, index + 1)) yield [one, ...rest]
}
