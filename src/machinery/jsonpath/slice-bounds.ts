import type { ArrayNode } from './json-path-syntax.ts'

export interface SliceBounds {
  readonly from: number
  readonly to: number
  readonly step: number
}

/**
 * The elements that `[from:to:step]` means in a list of `length`; negative numbers count from its end. A string is why it
 * means none, in client-go's words. Equal bounds are empty wherever they lie.
 */
export function sliceBounds(node: ArrayNode, length: number): SliceBounds | string {
  const start = node.from ?? 0
  const from = start < 0 ? start + length : start
  const end = node.single ? start + 1 : (node.to ?? length)
  const to = end < 0 || (end === 0 && node.single) ? end + length : end
  if (from === to) return { from, to, step: 1 }
  if (from >= length || from < 0) return `array index out of bounds: index ${from}, length ${length}`
  if (to > length || to < 0) return `array index out of bounds: index ${to - 1}, length ${length}`
  if (from > to) return `starting index ${from} is greater than ending index ${to}`
  const step = node.step ?? 1
  return step <= 0 ? 'step must be > 0' : { from, to, step }
}
