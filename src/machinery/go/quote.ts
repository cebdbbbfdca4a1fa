/** Text that stands between quotes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/
const PRINTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

const NAMED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** A text as Go prints it with `%q`: what cannot be printed is escaped. */
export function goQuote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${Array.from(text.toWellFormed(), escapedCharacter).join('')}"`
}

/** A character as it stands between Go's quotes. */
export function escapedCharacter(character: string): string {
  const named = NAMED[character]
  if (named !== undefined) return named
  return PRINTED.test(character) ? character : escapedCodePoint(character)
}

/** A character by its number, as Go writes one that cannot be printed. */
export function escapedCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
  return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
