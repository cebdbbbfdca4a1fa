import type { JsonObject } from '../../src/machinery/object.ts'
import { MOST_WEIGHT } from '../../src/machinery/value-weight.ts'

const OBJECT_WEIGHT = 10

/** The document with as many entries as so many bytes, the weight of a body and so many values allow. */
export function largest(document: (count: number) => JsonObject, bytes: number, values = Infinity): JsonObject {
  const of = (count: number): readonly [length: number, weight: number, values: number] => {
    const made = document(count)
    return [JSON.stringify(made).length, sum(made, OBJECT_WEIGHT), sum(made, 1)]
  }
  const [[length, weight, few], [longer, heavier, more]] = [of(1000), of(2000)]
  const most = Math.min(
    (bytes - length) / (longer - length),
    (MOST_WEIGHT - weight) / (heavier - weight),
    (values - few) / (more - few),
  )
  // Later entries have longer numbers.
  return document(Math.floor(most * 1000 * 0.8))
}

/** The sum over all values, where an object or a list counts as so many. */
function sum(value: unknown, ofObject: number): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((total, item) => total + sum(item, ofObject), ofObject)
}
