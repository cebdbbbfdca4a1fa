import { compileError } from '../types/error.ts'
import type { Complaint } from '../types/error.ts'
import { printable, tokenize } from './lexer.ts'
import type { CelToken } from './lexer.ts'

/** The tokens that an expression may begin with, as complaints list them. */
export const STARTS = `'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER`

const START_SIGNS: ReadonlySet<string> = new Set(['[', '{', '(', '.', '-', '!'])

/** The tokens that may follow an expression. Where one of them follows in place of a closing bracket, the complaint is about the bracket. */
const FOLLOWERS: ReadonlySet<string> = new Set('<EOF> == != in < <= >= > && || ? : ,'.split(' '))

/** The words of a source, one after the other, and what is wrong with them in the words of cel-go's parser. */
export class TokenReader {
  readonly #source: string
  readonly #tokens: readonly CelToken[]
  readonly #complaints: Complaint[]
  #at = 0

  constructor(source: string) {
    this.#source = source
    const { tokens, complaints } = tokenize(source)
    this.#tokens = tokens
    this.#complaints = [...complaints]
  }

  /** Throws what was wrong with the words themselves. */
  finish(): void {
    if (this.#complaints.length > 0) throw compileError(this.#source, this.#complaints)
  }

  /** Passes words by. */
  skip(count: number): void {
    this.#at += count
  }

  get token(): CelToken {
    return this.ahead(0)
  }

  /** The word so many places on; the last one for all that come after it. */
  ahead(count: number): CelToken {
    return (
      this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)] ?? { kind: 'end', text: '<EOF>', offset: 0 }
    )
  }

  next(): CelToken {
    const token = this.token
    this.#at++
    return token
  }

  /** Is the token this sign or word? A string that looks like one is none. */
  is(text: string): boolean {
    const { kind } = this.token
    return this.token.text === text && (kind === 'sign' || kind === 'word' || kind === 'end')
  }

  /** Takes the sign, if it is next. */
  accept(text: string): CelToken | undefined {
    return this.is(text) ? this.next() : undefined
  }

  /** Takes the sign. Complains as a parser that mends one word would: it leaves one out, or puts the missing one in. */
  expect(text: string): CelToken {
    if (this.is(text)) return this.next()
    const wanted = text === '<EOF>' ? text : `'${text}'`
    if (this.ahead(1).text !== text && this.#mayBeMissing(text)) {
      return this.syntaxError(`missing ${wanted} at '${printable(this.token.text)}'`)
    }
    return this.expectOneOf([text], wanted)
  }

  /** Takes the first of the signs, when it is not that but none of the others either. */
  expectOneOf(texts: readonly [string, ...string[]], wanted: string): CelToken {
    if (this.is(texts[0])) return this.next()
    const what = texts.includes(this.ahead(1).text) ? 'extraneous' : 'mismatched'
    return this.syntaxError(`${what} input '${printable(this.token.text)}' expecting ${wanted}`)
  }

  #mayBeMissing(text: string): boolean {
    if (text === ':') return this.startsExpression(this.token)
    return text !== '<EOF>' && FOLLOWERS.has(this.token.text)
  }

  /** May an expression begin with the word? */
  startsExpression(token: CelToken): boolean {
    if (token.kind === 'sign') return START_SIGNS.has(token.text)
    return token.kind !== 'end' && token.kind !== 'escaped' && token.text !== 'in'
  }

  /** Throws `CelCompileError`, with what is wrong with the words before. */
  syntaxError(message: string, offset = this.token.offset): never {
    return this.refuse(`Syntax error: ${message}`, offset)
  }

  refuse(message: string, offset: number): never {
    this.#complaints.push({ offset, message })
    throw compileError(this.#source, this.#complaints)
  }

  /** Complains that no expression begins here. */
  noStart(expected: string): never {
    const extraneous = this.token.kind !== 'end' && this.startsExpression(this.ahead(1))
    const what = extraneous ? 'extraneous' : 'mismatched'
    return this.syntaxError(`${what} input '${printable(this.token.text)}' expecting {${expected}}`)
  }
}
