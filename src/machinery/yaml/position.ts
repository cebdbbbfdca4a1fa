import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'

/** Both start at 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/**
 * Returns the position of a field in a YAML (or JSON) text, by a path such as `plugins[0].configuration.kind`. This is
 * its key, or its item in a list. For a missing field, it is the nearest one above it that exists.
 */
export function yamlPosition(text: string, path: string): TextPosition {
  const lines = new LineCounter()
  let node: Node | null | undefined = parseDocument(text, { lineCounter: lines, logLevel: 'silent' }).contents
  let offset = node?.range?.[0] ?? 0
  for (const segment of path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)) {
    // In brackets stands the place in a list, or a key that may hold dots.
    const [word, inBrackets] = segment
    const name = inBrackets ?? word
    if (inBrackets !== undefined && isSeq<Node>(node)) {
      node = node.items[Number(inBrackets)]
      offset = node?.range?.[0] ?? offset
    } else if (isMap<Node, Node>(node)) {
      const pair: Pair<Node, Node> | undefined = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === name,
      )
      offset = pair?.key.range?.[0] ?? offset
      node = pair?.value ?? undefined
    } else node = undefined
    if (node === undefined || node === null) break
  }
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
