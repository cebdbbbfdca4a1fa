const SIMPLE_ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 }
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the text that a quoted Go string stands for. `quoted` includes its quotes; single quotes may hold any number of characters, as
 * client-go allows. `undefined` when an escape is not one of Go's, or the text is not quoted.
 */
export function unquote(quoted: string): string | undefined {
  const quote = quoted[0]
  if (quoted.length < 2 || quote !== quoted.at(-1) || (quote !== '"' && quote !== "'")) return undefined
  const inner = quoted.slice(1, -1)
  if (!inner.includes('\\')) return inner.includes(quote) ? undefined : inner

  // Escapes such as \xe2 are single bytes of UTF-8, so the result is collected as bytes.
  const bytes: number[] = []
  let rest = inner
  while (rest !== '') {
    const step = unquoteChar(rest, quote)
    if (step === undefined) return undefined
    bytes.push(...step.bytes)
    rest = rest.slice(step.length)
  }
  return DECODER.decode(new Uint8Array(bytes))
}

interface Unquoted {
  readonly bytes: Iterable<number>
  /** Code units read. */
  readonly length: number
}

/** The first character of `text`, as Go's `strconv.UnquoteChar` reads it. */
function unquoteChar(text: string, quote: string): Unquoted | undefined {
  const char = String.fromCodePoint(text.codePointAt(0) ?? 0)
  if (char === quote) return undefined
  if (char !== '\\') return { bytes: ENCODER.encode(char), length: char.length }
  const escape = text[1]
  if (escape === undefined) return undefined
  const simple = SIMPLE_ESCAPES[escape]
  if (simple !== undefined) return { bytes: [simple], length: 2 }
  if (escape === quote) return { bytes: ENCODER.encode(quote), length: 2 }
  return numericEscape(text, escape)
}

function numericEscape(text: string, escape: string): Unquoted | undefined {
  const octal = /^\\([0-7]{3})/.exec(text)?.[1]
  if (octal !== undefined) {
    const value = Number.parseInt(octal, 8)
    return value > 255 ? undefined : { bytes: [value], length: 4 }
  }
  const count = DIGITS[escape]
  const hex = text.slice(2, 2 + (count ?? 0))
  if (count === undefined || hex.length < count || !/^[0-9a-fA-F]+$/.test(hex)) return undefined
  const value = Number.parseInt(hex, 16)
  if (escape === 'x') return { bytes: [value], length: 4 }
  const isRune = value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
  return isRune ? { bytes: ENCODER.encode(String.fromCodePoint(value)), length: 2 + count } : undefined
}
