/**
 * The letters of printable text by the lengths of their codes in HPACK (RFC 7541, appendix B), in the order of their codes. A code is
 * one more than the one before it, so the lengths say all. Other bytes have longer codes, and no credential contains them.
 */
const LETTERS: Readonly<Record<number, string>> = {
  5: '012aceiost',
  6: ' %-./3456789=A_bdfghlmnpru',
  7: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz',
  8: '&*,;XZ',
  10: '!"()?',
  11: "'+|",
  12: '#>',
  13: '\0$@[]~',
  14: '^}',
  15: '<`{',
  19: '\\',
}
const LONGEST = 19

interface Length {
  readonly first: number
  readonly letters: string
}

const LENGTHS = lengths()

function lengths(): readonly Length[] {
  const all: Length[] = []
  for (let length = 0, next = 0; length <= LONGEST; length++) {
    const letters = LETTERS[length] ?? ''
    all.push({ first: next, letters })
    next = (next + letters.length) * 2
  }
  return all
}

/** The text that was packed so. Throws RangeError for letters that are not printable. */
export function unpackText(bytes: Buffer): string {
  let text = ''
  let code = 0
  let length = 0
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1)
      length++
      const of = LENGTHS[length]
      if (of === undefined) throw new RangeError('a letter is not printable')
      const letter = of.letters[code - of.first]
      if (letter === undefined) continue
      text += letter
      code = 0
      length = 0
    }
  return text
}
