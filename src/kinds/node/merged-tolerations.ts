import { wholeNumber } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { absent, textOf } from '../../machinery/read.ts'

/**
 * The tolerations of both lists, in their order, without those that another one includes (upstream `MergeTolerations`). Of
 * equal ones the first stays.
 */
export function mergedTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): readonly JsonObject[] {
  const all = [...first, ...second]
  const merged: JsonObject[] = []
  all.forEach((one, index) => {
    const isKnown = merged.some((kept) => toleratesAll(kept, one))
    const isRepeated = all.slice(index + 1).some((later) => !semanticallyEqual(later, one) && toleratesAll(later, one))
    if (!isKnown && !isRepeated) merged.push(one)
  })
  return merged
}

/** Does the first toleration tolerate every taint that the second one does? */
function toleratesAll(wide: JsonObject, narrow: JsonObject): boolean {
  if (semanticallyEqual(wide, narrow)) return true
  const [operator, key, effect] = [wide.operator, wide.key, wide.effect].map(textOf)
  if (key !== textOf(narrow.key) && !(key === '' && operator === 'Exists')) return false
  if (effect !== '' && effect !== textOf(narrow.effect)) return false
  if (effect === 'NoExecute' && !absent(wide.tolerationSeconds) && !isShorter(narrow, wide)) return false
  if (operator === 'Exists') return true
  return (
    ['', 'Equal'].includes(operator ?? '') && narrow.operator === 'Equal' && textOf(wide.value) === textOf(narrow.value)
  )
}

function isShorter(narrow: JsonObject, wide: JsonObject): boolean {
  const seconds = wholeNumber(narrow.tolerationSeconds)
  return seconds !== undefined && seconds <= (wholeNumber(wide.tolerationSeconds) ?? 0n)
}
