import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { Definitions } from './custom-definition.ts'
import { DEFINITIONS } from './type-name.ts'

/**
 * The definitions that can be reached from the given names, sorted by name. A name that is defined nowhere gets an open
 * object, so that no reference dangles.
 */
export function reachableDefinitions(roots: Iterable<string>, definitions: Definitions): Definitions {
  const found = new Map<string, JsonObject>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const definition = (Object.hasOwn(definitions, name) ? definitions[name] : undefined) ?? { type: 'object' }
    found.set(name, definition)
    collectReferences(definition, waiting)
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

function collectReferences(schema: unknown, into: string[]): void {
  if (Array.isArray(schema)) for (const one of schema) collectReferences(one, into)
  else if (isObject(schema))
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS))
        into.push(value.slice(DEFINITIONS.length))
      else collectReferences(value, into)
    }
}
