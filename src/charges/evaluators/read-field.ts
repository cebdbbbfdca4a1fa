import { isObject, type JsonObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'

const NOTHING: readonly unknown[] = []

/** The object under a key, undefined where there is none. */
export function objectAt(of: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = of?.[key]
  return isObject(value) ? value : undefined
}

/** The list under a key, empty where there is none. */
export function listAt(of: JsonObject | undefined, key: string): readonly unknown[] {
  const value = of?.[key]
  return Array.isArray(value) ? value : NOTHING
}

/** The objects of the list under a key. */
export function objectsAt(of: JsonObject | undefined, key: string): readonly JsonObject[] {
  return listAt(of, key).filter(isObject)
}

/** The text under a key, empty where there is none. */
export function textAt(of: JsonObject | undefined, key: string): string {
  const value = of?.[key]
  return typeof value === 'string' ? value : ''
}

/** The amount in a field: text, or a number as JSON allows it. Throws QuantityError. */
export function quantityIn(value: unknown): Quantity {
  return Quantity.fromJson(value)
}
