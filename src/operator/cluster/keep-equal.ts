import { isRawNumber, isTree, numberText } from '../../machinery/json-value.ts'

/**
 * Returns the value with each unchanged part taken from `old`. If nothing changed, returns `old`. Results cached by
 * `oncePerObject` then stay valid. Items of lists are compared by position.
 */
export function keepEqual<T>(value: T, old: T | undefined): T
export function keepEqual(value: unknown, old: unknown): unknown {
  if (value === old) return old
  if (isRawNumber(value)) return isRawNumber(old) && numberText(old) === numberText(value) ? old : value
  if (Array.isArray(value)) return Array.isArray(old) ? keptList(value, old) : value
  return isTree(value) && isTree(old) ? keptTree(value, old) : value
}

function keptList(value: readonly unknown[], old: readonly unknown[]): readonly unknown[] {
  const kept = value.map((item, at) => keepEqual(item, old[at]))
  return kept.length === old.length && kept.every((item, at) => item === old[at]) ? old : kept
}

function keptTree(
  value: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(value)
  let isSame = names.length === Object.keys(old).length
  const kept = names.map((name) => {
    const before = Object.hasOwn(old, name) ? old[name] : undefined
    const member = keepEqual(value[name], before)
    isSame &&= member === before && Object.hasOwn(old, name)
    return [name, member] as const
  })
  return isSame ? old : Object.fromEntries(kept)
}
