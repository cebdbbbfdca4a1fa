import type { CelToken } from './lexer.ts'
import { CelUint, Failure, checkedInt, checkedUint, concatBytes } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'

/** The value of a literal, of which `negative` says that a minus stands before it; a failure words what is wrong. */
export function literalValue(token: CelToken, negative: boolean): Result {
  switch (token.kind) {
    case 'int': {
      const value = checkedInt(negative ? -BigInt(token.text) : BigInt(token.text))
      return value instanceof Failure ? new Failure('invalid int literal') : value
    }
    case 'uint': {
      const value = checkedUint(BigInt(token.text.slice(0, -1)))
      return value instanceof CelUint ? value : new Failure('invalid uint literal')
    }
    case 'float': {
      const value = Number(token.text)
      if (!Number.isFinite(value)) return new Failure('invalid double literal')
      return negative ? -value : value
    }
    case 'string':
      return unquote(token.text, false)
    case 'bytes':
      return unquote(token.text.slice(1), true)
    case 'word':
    case 'name':
    case 'escaped':
    case 'sign':
    case 'end':
    default:
      if (token.text === 'null') return null
      return token.text === 'true'
  }
}

const SIMPLE: { readonly [letter: string]: string } = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Returns the value of a quoted text. In bytes, `\x` and octal escapes are bytes; in strings they are characters. */
function unquote(quoted: string, bytes: boolean): Result {
  const raw = /^[rR]/.test(quoted)
  const text = raw ? quoted.slice(1) : quoted
  const width = text.length >= 6 && (text.startsWith('"""') || text.startsWith("'''")) ? 3 : 1
  const inner = text.slice(width, -width).replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const encoder = new TextEncoder()
  const parts: (string | Uint8Array)[] = []
  const escape = /\\(?:([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs
  let from = 0
  for (const match of raw ? [] : inner.matchAll(escape)) {
    parts.push(inner.slice(from, match.index))
    from = match.index + match[0].length
    const [, octal, hex, short, long, letter] = match
    if (letter !== undefined) {
      parts.push(SIMPLE[letter] ?? letter)
      continue
    }
    if (bytes && (short !== undefined || long !== undefined)) return new Failure('unable to unescape string')
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return new Failure('invalid unicode code point')
    parts.push(bytes ? Uint8Array.of(code) : String.fromCodePoint(code))
  }
  parts.push(inner.slice(from))
  if (!bytes) return parts.join('')
  return concatBytes(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)))
}
