import { isRawNumber } from '../../machinery/json-value.ts'

/** Gives an equal string that is in memory already, when there is one. */
export type StringPool = (text: string) => string

/** After how many strings one generation gives way to the next. */
const GENERATION = 4096

/**
 * Lets equal strings (namespaces, label values, images, …) be in memory once. JSON.parse makes a new one each time, and over
 * ten thousands of objects that is most of what they need. It forgets what was not asked for through a whole generation,
 * so that it never holds on to more than two of them.
 */
export function stringPool(generation = GENERATION): StringPool {
  let young = new Map<string, string>()
  let old = new Map<string, string>()
  return (text) => {
    const known = young.get(text)
    if (known !== undefined) return known
    const shared = old.get(text) ?? text
    if (young.size >= generation) {
      old = young
      young = new Map()
    }
    young.set(shared, shared)
    return shared
  }
}

/** A copy of a value of JSON whose strings are shared. */
export function shareStrings<T>(value: T, share: StringPool): T
export function shareStrings(value: unknown, share: StringPool): unknown {
  if (typeof value === 'string') return share(value)
  if (Array.isArray(value)) return value.map((item: unknown) => shareStrings(item, share))
  // A number that JavaScript cannot hold is an object, which a copy would not be.
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shareStrings(item, share)]))
}
