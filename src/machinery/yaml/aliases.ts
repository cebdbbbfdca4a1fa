import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isPair,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { MOST_WEIGHT } from '../value-weight.ts'

/** The nodes that an alias may stand for. */
type Source = Scalar | YAMLMap | YAMLSeq

/** A text whose aliases stand for more than can be worked on. */
export class YamlAliasError extends Error {
  constructor() {
    super('document contains excessive aliasing')
    this.name = 'YamlAliasError'
  }
}

/**
 * Has every alias of a document know what it stands for: the library looks through the whole document for each of them, which
 * takes quadratic time. Throws `YamlAliasError`, before anything is made of it, where aliases multiply what they name beyond
 * what may be read.
 */
export function resolveAliases(document: Document.Parsed): void {
  const sources = new Map<string, Source>()
  const named = new Map<Alias, Source | undefined>()
  const note = (_at: unknown, node: Source): void => {
    if (node.anchor !== undefined) sources.set(node.anchor, node)
  }
  visit(document, {
    Map: note,
    Seq: note,
    Scalar: note,
    Alias: (_at, alias) => {
      const source = sources.get(alias.source)
      const among = source === undefined ? [] : [source]
      named.set(alias, source)
      const resolve = alias.resolve.bind(alias)
      // Given the place, the library finds the node at once, and counts how often.
      alias.resolve = (doc, context) =>
        context === undefined ? source : resolve(doc, Object.assign(context, { aliasResolveCache: among }))
    },
  })
  if (named.size > 0 && weightOf(document.contents, named, new Map()) > MOST_WEIGHT) throw new YamlAliasError()
}

/** How many values a node stands for once all aliases in it are replaced; a node within itself counts once. */
function weightOf(node: unknown, named: ReadonlyMap<Alias, unknown>, known: Map<unknown, number>): number {
  if (isAlias(node)) return weightOf(named.get(node), named, known)
  if (isPair(node)) return weightOf(node.key, named, known) + weightOf(node.value, named, known)
  if (!isCollection(node)) return 1
  const before = known.get(node)
  if (before !== undefined) return before
  known.set(node, 1)
  const weight = node.items.reduce<number>((sum, item) => sum + weightOf(item, named, known), 1)
  known.set(node, weight)
  return weight
}
