import { findTopLevelEquals, findTopLevelNotEquals } from './top-level-operator.ts'
import type { OperatorPosition } from './top-level-operator.ts'

/** The two sides of a comparison: a path as it was written, and the text to compare with. */
export interface SelectorSides {
  readonly path: string
  readonly value: string
}

/** Splits at the first top-level `=` or `==`; `undefined` when there is none or a side is empty. */
export function splitFieldSelectorEquals(raw: string): SelectorSides | undefined {
  return split(raw.trim(), findTopLevelEquals)
}

/** Splits at the first top-level `!=`; `undefined` when there is none or a side is empty. */
export function splitFieldSelectorNotEquals(raw: string): SelectorSides | undefined {
  return split(raw.trim(), findTopLevelNotEquals)
}

/** Takes off one pair of like quotes and the spaces inside it; anything else stays as it is. */
export function trimMatchingQuotes(value: string): string {
  const first = value[0]
  if (value.length < 2 || first !== value.at(-1) || (first !== '"' && first !== "'")) return value
  return value.slice(1, -1).trim()
}

function split(raw: string, find: (raw: string) => OperatorPosition): SelectorSides | undefined {
  const { index, width } = find(raw)
  if (index < 0) return undefined
  const path = raw.slice(0, index).trim()
  const value = raw.slice(index + width).trim()
  return path === '' || value === '' ? undefined : { path, value: trimMatchingQuotes(value) }
}
