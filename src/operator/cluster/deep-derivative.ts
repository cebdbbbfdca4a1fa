import { isObject } from '../../machinery/object.ts'

/** Does a stored value hold all of a wanted one, whatever else it holds (apimachinery `DeepDerivative`)? Servers fill in defaults; lists must be as long. */
export function deepDerivative(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(stored) &&
      stored.length === wanted.length &&
      wanted.every((item, index) => deepDerivative(stored[index], item))
    )
  if (isObject(wanted))
    return isObject(stored) && Object.entries(wanted).every(([name, value]) => deepDerivative(stored[name], value))
  return stored === wanted
}
