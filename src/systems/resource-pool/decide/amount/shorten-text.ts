import { goQuote } from '../../../../machinery/go/quote.ts'
import { cutText, inOneLine } from '../../../../machinery/text/shown.ts'

/** The longest name of a resource or of a pool that is right, and more than an amount needs. */
const LONGEST_WORD = 320

/** Far below what the API allows the message of a condition (32 KiB). */
const LONGEST_TEXT = 4096

const NAME_OR_AMOUNT = /^[-+\w./:]*$/

/** Can a resource be called so? No pool has another. */
export const isResourceName = (name: string): boolean => name.length <= LONGEST_WORD && NAME_OR_AMOUNT.test(name)

/** A text as messages spell it: the author of a claim may make it as long as an object. */
export const shortened = (text: string): string => cutText(inOneLine(text), LONGEST_WORD)

/** A name or an amount as messages spell it: in quotes where it can be neither. */
export const spelled = (word: string): string => (NAME_OR_AMOUNT.test(word) ? shortened(word) : quoted(word))

/** A name in quotes. */
export const quoted = (word: string): string => goQuote(cutText(word, LONGEST_WORD))

/** A message as it is stored, however much it lists. */
export const bounded = (text: string): string => cutText(inOneLine(text), LONGEST_TEXT)
