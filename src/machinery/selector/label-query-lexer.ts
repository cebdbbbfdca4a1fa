export type LabelQueryTokenKind =
  | 'identifier'
  | 'end'
  | '('
  | ')'
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '<'
  | '>'
  | 'in'
  | 'notin'

export interface LabelQueryToken {
  readonly kind: LabelQueryTokenKind
  readonly text: string
}

const NUL = 0
const END: LabelQueryToken = { kind: 'end', text: '' }

/**
 * Splits a label query into tokens; the last is always `end`. As upstream's lexer does, a NUL ends what it follows and is
 * swallowed with it, and where a token should start it ends the text.
 */
export function lexLabelQuery(text: string): readonly LabelQueryToken[] {
  const tokens: LabelQueryToken[] = []
  let position = 0
  for (;;) {
    while (isBlank(text.charCodeAt(position))) position++
    const unit = text.charCodeAt(position)
    if (position >= text.length || unit === NUL) {
      tokens.push(END)
      return tokens
    }
    const token = symbolAt(text, position) ?? identifierAt(text, position)
    tokens.push(token)
    position += token.text.length
    if (text.charCodeAt(position) === NUL) position++
  }
}

function symbolAt(text: string, position: number): LabelQueryToken | undefined {
  const symbol = text.charAt(position)
  switch (symbol) {
    case '=':
    case '!':
      if (text[position + 1] === '=') return { kind: `${symbol}=`, text: `${symbol}=` }
      return { kind: symbol, text: symbol }
    case '(':
    case ')':
    case ',':
    case '<':
    case '>':
      return { kind: symbol, text: symbol }
    default:
      return undefined
  }
}

function identifierAt(text: string, start: number): LabelQueryToken {
  let end = start
  while (end < text.length && !endsIdentifier(text.charCodeAt(end))) end++
  const word = text.slice(start, end)
  return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word }
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d
}

function endsIdentifier(unit: number): boolean {
  switch (unit) {
    case NUL:
    case 0x21: // !
    case 0x28: // (
    case 0x29: // )
    case 0x2c: // ,
    case 0x3c: // <
    case 0x3d: // =
    case 0x3e: // >
      return true
    default:
      return isBlank(unit)
  }
}
