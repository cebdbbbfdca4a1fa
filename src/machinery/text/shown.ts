import { fairShares } from './fair-shares.ts'
import { escapedCharacter, escapedCodePoint } from '../go/quote.ts'

const PLAIN = /^[ -~]*$/
/** Terminals obey these and do not print them: controls, formats such as the direction of writing, ends of lines and paragraphs. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** More marks on a character than any script writes: they would be drawn over the lines around. */
const PILED_MARKS = /(?<=\p{M}{8})\p{M}/gu

/** A text of a user as it stands in a message. It stays in its line and shows all that it holds: the rest is escaped as in Go. */
export function inOneLine(text: string): string {
  if (PLAIN.test(text)) return text
  return text.toWellFormed().replaceAll(HIDDEN, escapedCharacter).replaceAll(PILED_MARKS, escapedCodePoint)
}

/** A message of several lines, which the program has put together. */
export function inLines(text: string): string {
  return PLAIN.test(text) ? text : text.split('\n').map(inOneLine).join('\n')
}

/** The beginning, with an ellipsis where something is missing. Half of a pair of surrogates would be no text. */
export function cutText(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}

/** The fewest characters of a line that is cut. */
const LEAST_SHARE = 200
/** Characters for how many lines are left out. */
const REST = 30

/**
 * A line for each text, at most `most` characters together. Of texts that are too long each has the same share, so that none takes the place of the
 * others. Where they are too many, the last line says how many more there are.
 */
export function sharedLines(texts: readonly string[], most: number): string {
  const shown = fitting(texts, most)
  if (shown === texts.length) return cutLines(texts, most).join('\n')
  const first = fitting(texts, most - REST)
  return [...cutLines(texts.slice(0, first), most - REST), `and ${texts.length - first} more`].join('\n')
}

/** How many of the texts get a share of the length. */
function fitting(texts: readonly string[], most: number): number {
  let left = most + 1
  for (const [at, { length }] of texts.entries()) {
    left -= Math.min(length, LEAST_SHARE) + 1
    if (left < 0) return at
  }
  return texts.length
}

function cutLines(texts: readonly string[], most: number): readonly string[] {
  const lines = texts.map(inOneLine)
  const shares = fairShares(
    lines.map(({ length }) => length),
    most - Math.max(0, lines.length - 1),
  )
  return lines.map((line, at) => cutText(line, shares[at] ?? 0))
}
