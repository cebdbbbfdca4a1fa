import { isObject } from '../machinery/object.ts'

/** Does a stored value say all that is wanted, whatever else it says? Servers fill in defaults; lists must be as long. */
export function covers(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(stored) &&
      stored.length === wanted.length &&
      wanted.every((item, index) => covers(stored[index], item))
    )
  if (isObject(wanted))
    return isObject(stored) && Object.entries(wanted).every(([name, value]) => covers(stored[name], value))
  return stored === wanted
}
