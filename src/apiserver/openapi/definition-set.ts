import { oncePerObject } from '../../machinery/once-per-object.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { OpenApiDefinitions } from './custom-definition.ts'
import { DEFINITIONS } from './type-name.ts'
import { compareText } from '../../machinery/text/compare.ts'

/**
 * The definitions that can be reached from the given names, sorted by name. A name that is defined nowhere gets an open
 * object, so that no reference dangles.
 */
export function reachableDefinitions(roots: Iterable<string>, definitions: OpenApiDefinitions): OpenApiDefinitions {
  const found = new Map<string, JsonObject>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const definition = (Object.hasOwn(definitions, name) ? definitions[name] : undefined) ?? { type: 'object' }
    found.set(name, definition)
    for (const reference of referencesOf(definition)) waiting.push(reference)
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => compareText(a, b)))
}

/** The definitions that a definition refers to; found once, as the definition of a custom resource may be large. */
const referencesOf = oncePerObject((definition: JsonObject): readonly string[] => {
  const references = new Set<string>()
  const waiting: unknown[] = [definition]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (Array.isArray(one)) for (const item of one) waiting.push(item)
    else if (isObject(one))
      for (const [key, value] of Object.entries(one)) {
        if (key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS))
          references.add(value.slice(DEFINITIONS.length))
        else if (typeof value === 'object') waiting.push(value)
      }
  }
  return [...references]
})
