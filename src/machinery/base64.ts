const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CANONICAL = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/

/**
 * Reads standard base64 as Go's `encoding/base64` does, which skips line breaks and tolerates stray bits at the end,
 * and gives the text that Go would write. Throws `RangeError` with Go's words.
 */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && CANONICAL.test(text)) return text
  let result = ''
  let at = 0
  let quantum = ''
  const breaks = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at++
  }
  for (breaks(); at < text.length; breaks()) {
    const c = text[at++] ?? ''
    if (c !== '=') {
      if (!ALPHABET.includes(c)) throw corrupt(at - 1)
      quantum += c
      if (quantum.length === 4) {
        result += quantum
        quantum = ''
      }
      continue
    }
    if (quantum.length < 2) throw corrupt(at - 1)
    if (quantum.length === 2) {
      breaks()
      if (at >= text.length) throw corrupt(text.length)
      if (text[at] !== '=') throw corrupt(at - 1)
      at++
    }
    breaks()
    if (at < text.length) throw corrupt(at)
    return result + padded(quantum)
  }
  if (quantum !== '') throw corrupt(text.length - quantum.length)
  return result
}

/** Clears the bits behind the last whole byte of a quantum of two or three digits. */
function padded(quantum: string): string {
  const last = ALPHABET.indexOf(quantum.at(-1) ?? '')
  const kept = quantum.length === 2 ? last & 0b110000 : last & 0b111100
  return quantum.slice(0, -1) + ALPHABET.charAt(kept) + '='.repeat(4 - quantum.length)
}

function corrupt(offset: number): RangeError {
  return new RangeError(`illegal base64 data at input byte ${offset}`)
}
