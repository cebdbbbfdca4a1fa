import type { JsonObject } from '../../src/machinery/object.ts'

/** The weight of an object or a list, and of any other value. */
const OBJECT_WEIGHT = 10
const SCALAR_WEIGHT = 5

/** The document with as many entries as a body of so many bytes and so much weight may hold. */
export function largest(document: (count: number) => JsonObject, bytes: number, weight: number): JsonObject {
  const of = (count: number): readonly [length: number, weight: number] => {
    const made = document(count)
    return [JSON.stringify(made).length, weightOf(made)]
  }
  const [[length, light], [longer, heavier]] = [of(1000), of(2000)]
  const most = Math.min((bytes - length) / (longer - length), (weight - light) / (heavier - light))
  // Later entries have longer numbers.
  return document(Math.floor(most * 1000 * 0.8))
}

function weightOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return SCALAR_WEIGHT
  return Object.values(value).reduce<number>((sum, item) => sum + weightOf(item), OBJECT_WEIGHT)
}
