import { jsonEqual, setOwn } from '../../machinery/json-value.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'

/**
 * The smallest merge patch (RFC 7386) that makes `updated` of `old`; undefined where they are equal. Neither may hold null,
 * which a merge patch cannot say; lists are replaced as wholes.
 */
export function mergeDiff(old: JsonObject | undefined, updated: JsonObject): JsonObject | undefined {
  const patch: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(updated)) {
    const before = old !== undefined && Object.hasOwn(old, name) ? old[name] : undefined
    if (before === value) continue
    if (isObject(value) && isObject(before)) {
      const inner = mergeDiff(before, value)
      if (inner !== undefined) setOwn(patch, name, inner)
    } else if (!jsonEqual(before, value)) setOwn(patch, name, value)
  }
  for (const name of Object.keys(old ?? {})) if (!Object.hasOwn(updated, name)) setOwn(patch, name, null)
  return Object.keys(patch).length === 0 ? undefined : patch
}
