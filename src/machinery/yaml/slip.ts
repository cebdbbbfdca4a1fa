import { type Document, isPair, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml'
import type { TextPosition } from './position.ts'

/** A mistake in a text that YAML accepts and a reader would overlook. */
export interface YamlSlip extends TextPosition {
  readonly message: string
}

/**
 * The first key of a YAML (or JSON) text that is set twice, with its path, or else where a second document begins. The text
 * must be proper YAML; undefined when there is nothing of the kind.
 */
export function yamlSlip(text: string): YamlSlip | undefined {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version: '1.1',
    uniqueKeys: false,
    logLevel: 'silent',
    lineCounter: lines,
  })
  if (!Array.isArray(documents)) return undefined
  const filled = documents.filter(({ contents }) => contents !== null && contents.range[1] > contents.range[0])
  const [first, second] = filled
  const slip = first === undefined ? undefined : repeatedKey(first)
  if (slip !== undefined) return { ...place(lines, slip.offset), message: `${slip.path}: is set twice` }
  return second === undefined
    ? undefined
    : {
        ...place(lines, second.contents?.range[0] ?? 0),
        message: 'a second document begins here; only one may be given',
      }
}

function place(lines: LineCounter, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

function repeatedKey(document: Document.Parsed): { readonly path: string; readonly offset: number } | undefined {
  let found: { readonly path: string; readonly offset: number } | undefined
  visit(document, {
    Map: (_at, map, above) => {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        const offset = key.range?.[0] ?? 0
        if (seen.has(name) && (found === undefined || offset < found.offset))
          found = { path: [...stepsTo([...above, map]), name].join('.').replaceAll('.[', '['), offset }
        seen.add(name)
      }
    },
  })
  return found
}

/** `limitedResources` and `[0]`: the names and numbers on the way from the first of these nodes to the last. */
function stepsTo(nodes: readonly unknown[]): readonly string[] {
  return nodes.flatMap((node, at) => {
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : []
    if (isSeq<Node>(node)) return [`[${node.items.findIndex((item) => item === nodes[at + 1])}]`]
    return []
  })
}
