import { isTree, setOwn } from '../../machinery/json-value.ts'
import { kindOf } from '../type/decode-error.ts'
import { malformed } from './error.ts'

/**
 * JSON merge patch (RFC 7386) of one object. Shares what does not change; mutates nothing.
 * Throws the 400 of an API server when the patch is not an object.
 */
export function mergePatch(original: unknown, patch: unknown): unknown {
  if (!isTree(patch)) {
    const kind = patch === null ? 'null' : kindOf(patch)
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    )
  }
  return merged(original, patch)
}

function merged(original: unknown, patch: unknown): unknown {
  if (!isTree(patch)) return patch
  const result: Record<string, unknown> = isTree(original) ? { ...original } : {}
  // A list of pairs would cost as much as the merge of a large map.
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === null) delete result[key]
    else if (typeof value !== 'object') setOwn(result, key, value)
    else setOwn(result, key, merged(Object.hasOwn(result, key) ? result[key] : undefined, value))
  }
  return result
}
