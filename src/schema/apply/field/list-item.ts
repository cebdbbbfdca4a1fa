import { isTree } from '../../../machinery/json-value.ts'
import { keyElement, type PathElement, valueElement } from './path-element.ts'
import type { ListShape } from './merge-shape.ts'

/** A value that does not fit its type so far that its parts cannot be named. The message is upstream's. */
export class UntypedValueError extends Error {
  override readonly name = 'UntypedValueError'
}

/**
 * The path element of an item of an associative list: its keys, or its value in a set. A key that is absent takes the
 * schema's default, and is left out of the element when there is none. Throws `UntypedValueError`.
 */
export function itemElement(list: ListShape, item: unknown): PathElement {
  if (list.keys.length === 0) return setElement(item)
  if (item === null) throw new UntypedValueError('associative list with keys may not have a null element')
  if (!isTree(item)) throw new UntypedValueError('associative list with keys may not have non-map elements')
  const [first = ''] = list.keys
  // The usual case: one key, and it is there.
  if (list.keys.length === 1 && Object.hasOwn(item, first)) return keyElement([[first, item[first]]])
  const keys: [string, unknown][] = []
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : list.items.map?.fields.get(name)?.default
    if (value !== undefined) keys.push([name, value])
  }
  if (keys.length === 0) {
    const named = list.declaredKeys.map((name) => JSON.stringify(name)).join(' ')
    const why = `(and doesn't have default values for any key fields)`
    throw new UntypedValueError(`associative list with keys has an element that omits all key fields [${named}] ${why}`)
  }
  return keyElement(keys)
}

function setElement(item: unknown): PathElement {
  if (isTree(item)) throw new UntypedValueError("associative list without keys has an element that's a map type")
  if (Array.isArray(item)) throw new UntypedValueError('not supported: associative list with lists as elements')
  if (item === null) throw new UntypedValueError("associative list without keys has an element that's an explicit null")
  return valueElement(item)
}

/** The items of a list under their elements, in order of appearance; more than one where they are duplicates. */
export function itemsByElement(list: ListShape, items: readonly unknown[]): Map<PathElement, readonly unknown[]> {
  const found = new Map<PathElement, unknown[]>()
  for (const item of items) {
    const element = itemElement(list, item)
    const known = found.get(element)
    if (known === undefined) found.set(element, [item])
    else known.push(item)
  }
  return found
}
