/** The longest name of a resource or of a pool that is right, and more than an amount needs. */
const LONGEST_WORD = 320

/** Far below what the API allows the message of a condition (32 KiB). */
const LONGEST_TEXT = 4096

/** A name or an amount as messages spell it: the author of a claim may make it as long as an object. */
export const shortened = (word: string): string => cut(word, LONGEST_WORD)

/** A message as it is stored, however much it lists. */
export const bounded = (text: string): string => cut(text, LONGEST_TEXT)

/** The beginning, with an ellipsis where something is missing. Half of a pair of surrogates would be no text. */
function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}
