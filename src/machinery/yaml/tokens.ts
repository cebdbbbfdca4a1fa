import { CST, Lexer } from 'yaml'

/** So many comments and blank lines in a row are ordinary. */
const KEPT_LINES = 16

/**
 * So many tokens of a YAML text are read: some take 3 µs each until a value is made of them. A definition of 3 MiB has about
 * half as many.
 */
const MOST_TOKENS = 1_200_000
/** A character makes so many tokens at most: itself and a mark before it. */
const TOKENS_A_CHARACTER = 2

/** Has a YAML text more tokens than are read? To count them takes a tenth of the time of reading. */
export function hasTooManyTokens(text: string, most = MOST_TOKENS): boolean {
  if (text.length * TOKENS_A_CHARACTER <= most) return false
  let count = 0
  for (const _token of yamlTokens(text)) if (++count > most) return true
  return false
}

/**
 * Yields the tokens of a YAML text. A run of blank and comment lines is shortened to its first lines and its last line.
 * A node without another end ends at that last line. In place of the other lines comes the number of their characters.
 * Lines within a text (a block scalar or a quoted one) belong to its token.
 */
export function* yamlTokens(text: string): Generator<string | number, void> {
  let lines = 0
  let left = 0
  let last: readonly string[] = []
  // The tokens of a line of which it is not known yet whether it holds anything; undefined behind its first content.
  let line: string[] | undefined = []
  let isText: boolean = false
  for (const token of lexer().lex(text)) {
    const type: ReturnType<typeof CST.tokenType> | undefined = isText ? undefined : CST.tokenType(token)
    isText = type === 'scalar'
    if (line === undefined) {
      yield token
      if (type === 'newline') line = []
      continue
    }
    line.push(token)
    if (type === 'space' || type === 'comment') continue
    if (type === 'newline' && lines >= KEPT_LINES) {
      left += lengthOf(last)
      last = line
      line = []
      continue
    }
    if (left > 0) yield left
    yield* last
    yield* line
    left = 0
    last = []
    lines = type === 'newline' ? lines + 1 : 0
    line = type === 'newline' ? [] : undefined
  }
  if (left > 0) yield left
  yield* last
  yield* line ?? []
}

/** The parts of the library's lexer that its types hide. */
interface QuotedLexer {
  indentNext: number
  parseQuotedScalar(): Generator<string, unknown>
}

/** Lets quoted texts go on in any column, as Go's library does. */
function lexer(): Lexer {
  const made = new Lexer()
  const inner = made as unknown as QuotedLexer
  const parseQuotedScalar = inner.parseQuotedScalar.bind(made)
  inner.parseQuotedScalar = function* () {
    const { indentNext } = inner
    inner.indentNext = 0
    try {
      return yield* parseQuotedScalar()
    } finally {
      inner.indentNext = indentNext
    }
  }
  return made
}

const lengthOf = (tokens: readonly string[]): number => tokens.reduce((sum, { length }) => sum + length, 0)
