import type { Gauge } from '../api/gauge.ts'

/** The sum of the sizes, by the names of those who have them. */
export const used = (sizes: ReadonlyMap<string, number>): number =>
  [...sizes.values()].reduce((sum, size) => sum + size, 0)

/** Why an object may not have this size, or undefined where it may. */
export function gaugeRefusal(
  { spec }: Gauge,
  name: string,
  size: number,
  sizes: ReadonlyMap<string, number>,
): string | undefined {
  const total = used(new Map([...sizes, [name, size]]))
  return total <= spec.most ? undefined : `the sizes come to ${total}, and ${spec.most} is the most`
}
