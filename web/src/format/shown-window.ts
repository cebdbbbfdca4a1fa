/** The rows of a long list that are in the document. */
export interface ShownWindow {
  readonly first: number
  /** The one after the last. */
  readonly end: number
}

/** Rows above and below what is seen, so that the next step of a scroll finds them there. */
const SPARE = 8

/** The rows that are seen of `count` rows of one height, and some more. */
export function shownWindow(count: number, rowHeight: number, scrolled: number, height: number): ShownWindow {
  if (count <= 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const top = Math.max(0, Math.min(scrolled, count * rowHeight - height))
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE)
  const end = Math.min(count, Math.ceil((top + Math.max(0, height)) / rowHeight) + SPARE)
  return { first, end: Math.max(first, end) }
}
