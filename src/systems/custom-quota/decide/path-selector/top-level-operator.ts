/** Where an operator stands in a field selector (code units) and how long it is; -1 and 0 when there is none. */
export interface OperatorPosition {
  readonly index: number
  readonly width: number
}

const NOWHERE: OperatorPosition = { index: -1, width: 0 }
const OPENING = '[{('
const CLOSING = ']})'

/** The first `=` or `==` outside of brackets, braces, parentheses and quotes (Capsule's `findTopLevelEquals`). */
export function findTopLevelEquals(raw: string): OperatorPosition {
  return findTopLevel(raw, (at) => {
    if (raw[at] !== '=') return 0
    return raw[at + 1] === '=' ? 2 : 1
  })
}

/** The first `!=` outside of brackets, braces, parentheses and quotes (Capsule's `findTopLevelNotEquals`). */
export function findTopLevelNotEquals(raw: string): OperatorPosition {
  return findTopLevel(raw, (at) => (raw.startsWith('!=', at) ? 2 : 0))
}

/** An opening bracket that is never closed hides all that follows; a closing bracket that was never opened is ignored. */
function findTopLevel(raw: string, widthAt: (index: number) => number): OperatorPosition {
  const depths = [0, 0, 0]
  let quote = ''
  for (let i = 0; i < raw.length; i++) {
    const char = raw.charAt(i)
    if (quote !== '') {
      if (char === '\\') i++
      else if (char === quote) quote = ''
      continue
    }
    if (char === '"' || char === "'") {
      quote = char
      continue
    }
    const opened = OPENING.indexOf(char)
    const closed = CLOSING.indexOf(char)
    if (opened !== -1) depths[opened] = (depths[opened] ?? 0) + 1
    else if (closed !== -1) depths[closed] = Math.max(0, (depths[closed] ?? 0) - 1)
    const width = depths.every((depth) => depth === 0) ? widthAt(i) : 0
    if (width > 0) return { index: i, width }
  }
  return NOWHERE
}
