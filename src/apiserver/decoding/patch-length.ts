import { isTree } from '../../machinery/json-value.ts'
import { isObject } from '../../machinery/object.ts'
import { failure } from '../../machinery/status.ts'
import { refuseHeavy } from '../../machinery/value-weight.ts'

/**
 * The most values of a patch that is merged, or of an applied configuration. It is merged in one turn of the event loop, with an object
 * that may be as large as any, and each of its fields gets an owner: 40,000 took others 0.15 seconds. No manifest comes near it.
 */
export const MOST_PATCH_VALUES = 20_000
/** Administrators alone make these, and their schemas are large. */
const LARGE = 'CustomResourceDefinition'

/**
 * Throws 413 for a patch of an object of a kind that holds too many values. So few as may be merged need not be weighed; the operations of
 * a JSON patch and large schemas are only weighed.
 * @param textLength how long its JSON is, where that is known
 */
export function refuseLongPatch(patch: unknown, kind: string, textLength?: number): void {
  if (kind === LARGE || !isObject(patch)) return refuseHeavy(patch, textLength)
  if (valuesIn(patch, MOST_PATCH_VALUES) <= MOST_PATCH_VALUES) return
  throw failure(
    413,
    'RequestEntityTooLarge',
    `the patch holds too many values: at most ${MOST_PATCH_VALUES} are merged; replace the object`,
  )
}

/** The number of lists, objects and other values; when it is above `most`, any number above it. */
function valuesIn(value: unknown, most: number): number {
  let count = 1
  if (Array.isArray(value)) for (const item of value) count += count > most ? 0 : valuesIn(item, most - count)
  else if (isTree(value)) for (const key in value) count += count > most ? 0 : valuesIn(value[key], most - count)
  return count
}
