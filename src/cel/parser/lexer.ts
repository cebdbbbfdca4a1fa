import type { Complaint } from '../types/error.ts'

export type CelTokenKind = 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'name' | 'escaped' | 'word' | 'sign' | 'end'

/** A word of the source. `text` is as written; `word` is for `true`, `false`, `null` and `in`, `sign` for operators. */
export interface CelToken {
  readonly kind: CelTokenKind
  readonly text: string
  readonly offset: number
}

const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in'])

const PATTERNS: readonly (readonly [kind: CelTokenKind, pattern: RegExp])[] = [
  ['float', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['escaped', /`[A-Za-z0-9_.\-/ ]+`/y],
  ['sign', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
]

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y
const STRING_START = /([bB]?)([rR]?)("""|'''|"|')/y
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y

/** The words of a source, the last one of kind `end`. An invalid word is reported and left out. */
export function tokenize(source: string): {
  readonly tokens: readonly CelToken[]
  readonly complaints: readonly Complaint[]
} {
  const tokens: CelToken[] = []
  const complaints: Complaint[] = []
  let at = 0
  const refuse = (end: number): void => {
    complaints.push({
      offset: at,
      message: `Syntax error: token recognition error at: '${printable(source.slice(at, end))}'`,
    })
    at = end
  }
  for (;;) {
    at += lengthAt(SPACE, source, at)
    if (at >= source.length) break
    const start = matchAt(STRING_START, source, at)
    if (start !== undefined) {
      const { end, closed } = stringEnd(source, at + start[0].length, start[3] ?? '"', start[2] !== '')
      if (closed) {
        tokens.push({ kind: start[1] === '' ? 'string' : 'bytes', text: source.slice(at, end), offset: at })
        at = end
      } else refuse(end)
      continue
    }
    const token = wordAt(source, at)
    if (token === undefined) refuse(at + badLength(source, at))
    else {
      tokens.push(token)
      at += token.text.length
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: source.length })
  return { tokens, complaints }
}

function wordAt(source: string, offset: number): CelToken | undefined {
  for (const [kind, pattern] of PATTERNS) {
    const text = matchAt(pattern, source, offset)?.[0]
    if (text !== undefined) return { kind: kind === 'name' && WORDS.has(text) ? 'word' : kind, text, offset }
  }
  return undefined
}

/** Half an operator takes the character that follows with it. */
function badLength(source: string, at: number): number {
  const first = String.fromCodePoint(source.codePointAt(at) ?? 0)
  const half = first === '=' || first === '&' || first === '|'
  return first.length + (half && at + first.length < source.length ? 1 : 0)
}

/** Returns the end of a string literal. If the string is not closed, returns the end of its first invalid character. */
function stringEnd(
  source: string,
  from: number,
  quote: string,
  raw: boolean,
): { readonly end: number; readonly closed: boolean } {
  let at = from
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { end: at + quote.length, closed: true }
    const character = source[at]
    if (quote.length === 1 && (character === '\n' || character === '\r')) return { end: at + 1, closed: false }
    if (character !== '\\' || raw) {
      at++
      continue
    }
    const length = lengthAt(ESCAPE, source, at)
    if (length === 0) return { end: Math.min(source.length, at + 2), closed: false }
    at += length
  }
  return { end: source.length, closed: false }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

const lengthAt = (pattern: RegExp, text: string, at: number): number => matchAt(pattern, text, at)?.[0].length ?? 0

/** Line ends and tabs as the parser of cel-go quotes them. */
export const printable = (text: string): string =>
  text
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)
