import type { YamlProblem } from './yaml-problem.ts'

/** A double-quoted scalar as it is to be read, or its first escape that Go's library rejects. */
export type QuotedText = { readonly source: string } | { readonly problem: YamlProblem }

const ESCAPE = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|[\s\S])/g

/**
 * A double-quoted scalar for a reader that knows `\/` and does not know `\'`: Go's library has it the other way round. Neither
 * does it take half of a character, so that a character beyond 16 bits has one escape, not two. `offset` is that of the scalar.
 */
export function readableQuoted(source: string, offset: number): QuotedText {
  if (!source.includes('\\')) return { source }
  let hasQuotes = false
  for (const match of source.matchAll(ESCAPE)) {
    const [escape, short, long] = match
    const at = offset + match.index
    if (escape === '\\/') return { problem: { code: 'BAD_DQ_ESCAPE', message: 'Invalid escape', offset: at } }
    if (escape === "\\'") hasQuotes = true
    const point = short ?? long
    if (point !== undefined && !isCharacter(Number.parseInt(point, 16)))
      return { problem: { code: 'NO_CHARACTER', message: 'Not a character', offset: at } }
  }
  return { source: hasQuotes ? source.replaceAll(ESCAPE, (escape) => (escape === "\\'" ? "'" : escape)) : source }
}

const isCharacter = (point: number): boolean => point < 0xd800 || (point > 0xdfff && point <= 0x10ffff)
