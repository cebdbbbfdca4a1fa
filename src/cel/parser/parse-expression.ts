import { ExprFactory, SYNTAX_LIMITS, tooDeep, tooLong } from './expr-factory.ts'
import type { SyntaxLimits } from './expr-factory.ts'
import { isReservedWord } from '../types/field-name.ts'
import { printable } from './lexer.ts'
import type { CelToken } from './lexer.ts'
import { literalValue } from './literal.ts'
import { expandMacro } from './macro.ts'
import type { Expr, NewExpr } from './syntax.ts'
import { STARTS, TokenReader } from './token-reader.ts'
import { Failure, codePoints } from '../types/scalar.ts'

/** A parsed source. */
export interface ParsedExpression {
  readonly source: string
  readonly root: Expr
  /** How many expressions there are; their numbers are below it. */
  readonly size: number
}

/** Reads a CEL expression and expands its macros. Throws `CelCompileError`, worded as cel-go words it. */
export function parseExpression(
  source: string,
  options: { readonly limits?: Partial<SyntaxLimits>; readonly bindings?: boolean } = {},
): ParsedExpression {
  const limits = { ...SYNTAX_LIMITS, ...options.limits }
  if (source.length > limits.maxLength) throw tooLong(codePoints(source), limits.maxLength)
  return new Parser(source, limits, options.bindings ?? false).parse()
}

/** The operators of each level that groups from the left, the loosest first. */
const LEVELS: readonly ReadonlySet<string>[] = [
  new Set(['<', '<=', '>=', '>', '==', '!=', 'in']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
]

class Parser {
  readonly #source: string
  readonly #limits: SyntaxLimits
  readonly #bindings: boolean
  readonly #reader: TokenReader
  readonly #factory: ExprFactory
  #depth = 0

  constructor(source: string, limits: SyntaxLimits, bindings: boolean) {
    this.#source = source
    this.#limits = limits
    this.#bindings = bindings
    this.#reader = new TokenReader(source)
    this.#factory = new ExprFactory(limits)
  }

  parse(): ParsedExpression {
    const root = this.#expression()
    this.#reader.expect('<EOF>')
    this.#reader.finish()
    return { source: this.#source, root, size: this.#factory.size }
  }

  #make(expr: NewExpr): Expr {
    return this.#factory.make(expr)
  }

  #call(name: string, offset: number, ...args: readonly Expr[]): Expr {
    return this.#make({ kind: 'call', name, offset, target: undefined, args })
  }

  #expression(): Expr {
    if (++this.#depth > this.#limits.maxDepth) throw tooDeep(this.#limits.maxDepth)
    const condition = this.#logical('||')
    const mark = this.#reader.accept('?')
    let result = condition
    if (mark !== undefined) {
      const yes = this.#logical('||')
      this.#reader.expectOneOf([':'], "':'")
      result = this.#call('_?_:_', mark.offset, condition, yes, this.#expression())
    }
    this.#depth--
    return result
  }

  /** `||` and `&&` become balanced trees, so that long chains of them are not deep. */
  #logical(operator: '||' | '&&'): Expr {
    const terms: Expr[] = []
    const offsets: number[] = []
    for (;;) {
      terms.push(operator === '||' ? this.#logical('&&') : this.#binary(0))
      const token = this.#reader.accept(operator)
      if (token === undefined) break
      offsets.push(token.offset)
    }
    const build = (from: number, to: number): Expr => {
      const only = terms[from]
      if (from === to && only !== undefined) return only
      const middle = Math.floor((from + to + 1) / 2)
      const left = build(from, middle - 1)
      return this.#call(`_${operator}_`, offsets[middle - 1] ?? 0, left, build(middle, to))
    }
    return build(0, terms.length - 1)
  }

  #binary(level: number): Expr {
    const operators = LEVELS[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    for (
      let written = 2;
      operators.has(this.#reader.token.text) && this.#reader.is(this.#reader.token.text);
      written++
    ) {
      this.#factory.checkWritten(written)
      const { text, offset } = this.#reader.next()
      left = this.#call(text === 'in' ? '@in' : `_${text}_`, offset, left, this.#binary(level + 1))
    }
    return left
  }

  #unary(): Expr {
    const sign = this.#reader.is('!') ? '!' : '-'
    const first = this.#reader.token
    let count = 0
    while (this.#reader.is(sign)) {
      // The only minus before a number belongs to it.
      const after = this.#reader.ahead(1).kind
      if (sign === '-' && count === 0 && (after === 'int' || after === 'float')) break
      this.#reader.next()
      count++
    }
    const operand = this.#member()
    if (count % 2 === 0) return operand
    return this.#call(sign === '!' ? '!_' : '-_', first.offset, operand)
  }

  #member(): Expr {
    let expr = this.#primary()
    for (let written = 2; ; written++) {
      this.#factory.checkWritten(written)
      const dot = this.#reader.accept('.')
      if (dot !== undefined) {
        expr = this.#afterDot(expr, dot)
        continue
      }
      const bracket = this.#reader.accept('[')
      if (bracket === undefined) return expr
      const optional = this.#reader.accept('?') !== undefined
      if (!optional && !this.#reader.startsExpression(this.#reader.token))
        this.#reader.noStart(STARTS.replace(`'!', `, `'!', '?', `))
      const index = this.#expression()
      this.#reader.expect(']')
      expr = this.#call(optional ? '_[?_]' : '_[_]', bracket.offset, expr, index)
    }
  }

  #afterDot(operand: Expr, dot: CelToken): Expr {
    const optional = this.#reader.accept('?') !== undefined
    const token = this.#reader.token
    if (token.kind === 'escaped') this.#reader.refuse("unsupported syntax: '`'", token.offset)
    if (token.kind !== 'name') {
      const shown = token.kind === 'end' ? '.' : `.${token.text}`
      this.#reader.syntaxError(`no viable alternative at input '${printable(shown)}'`)
    }
    const field = this.#reader.next().text
    const open = optional ? undefined : this.#reader.accept('(')
    if (open !== undefined) return this.#invoke(field, operand, open)
    if (!optional) return this.#make({ kind: 'select', operand, field, testOnly: false, offset: dot.offset })
    const name = this.#make({ kind: 'literal', value: field, offset: token.offset })
    return this.#call('_?._', dot.offset, operand, name)
  }

  #invoke(name: string, target: Expr | undefined, open: CelToken): Expr {
    const args: Expr[] = []
    if (!this.#reader.is(')')) {
      if (!this.#reader.startsExpression(this.#reader.token))
        this.#reader.noStart(STARTS.replace(`'(', `, `'(', ')', `))
      do args.push(this.#expression())
      while (this.#reader.accept(',') !== undefined)
    }
    this.#reader.expect(')')
    const expanded = expandMacro({
      factory: this.#factory,
      bindings: this.#bindings,
      offset: open.offset,
      name,
      target,
      args,
    })
    if (expanded instanceof Failure) return this.#reader.refuse(expanded.message, open.offset)
    if (expanded !== undefined && 'complaint' in expanded)
      return this.#reader.refuse(expanded.complaint, expanded.offset)
    return expanded ?? this.#make({ kind: 'call', name, target, args, offset: open.offset })
  }

  #primary(): Expr {
    const token = this.#reader.token
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'float':
      case 'string':
      case 'bytes':
        return this.#literal(token.offset, false)
      case 'word':
        if (token.text === 'in') break
        return this.#literal(token.offset, false)
      case 'name':
        return this.#named('')
      case 'sign':
        return this.#bracketed(token)
      case 'escaped':
      case 'end':
        break
    }
    return this.#reader.noStart(STARTS)
  }

  #literal(offset: number, negative: boolean): Expr {
    const value = literalValue(this.#reader.next(), negative)
    if (value instanceof Failure) return this.#reader.refuse(value.message, offset)
    return this.#make({ kind: 'literal', value, offset })
  }

  #bracketed(token: CelToken): Expr {
    switch (token.text) {
      case '-':
        this.#reader.next()
        return this.#literal(token.offset, true)
      case '.':
        this.#reader.next()
        if (this.#reader.token.kind !== 'name') {
          const shown = this.#reader.token.kind === 'end' ? '.' : `.${this.#reader.token.text}`
          this.#reader.syntaxError(`no viable alternative at input '${printable(shown)}'`)
        }
        return this.#named('.')
      case '(': {
        this.#reader.next()
        const inner = this.#expression()
        this.#reader.expect(')')
        return inner
      }
      case '[':
        return this.#list(this.#reader.next())
      case '{':
        return this.#map(this.#reader.next())
      default:
        return this.#reader.noStart(STARTS)
    }
  }

  #named(leading: '' | '.'): Expr {
    const token = this.#reader.next()
    if (isReservedWord(token.text)) this.#reader.refuse(`reserved identifier: ${token.text}`, token.offset)
    const name = `${leading}${token.text}`
    const open = this.#reader.accept('(')
    if (open !== undefined) return this.#invoke(name, undefined, open)
    const message = this.#messageName(token.text)
    if (message === undefined) return this.#make({ kind: 'ident', name, offset: token.offset })
    const brace = this.#reader.next()
    this.#skipFields()
    return this.#make({ kind: 'message', name: message, offset: brace.offset })
  }

  /** The whole name where `a.b{` follows; the tokens up to the brace are then taken. */
  #messageName(first: string): string | undefined {
    let ahead = 0
    let name = first
    while (this.#reader.ahead(ahead).text === '.' && this.#reader.ahead(ahead + 1).kind === 'name') {
      name += `.${this.#reader.ahead(ahead + 1).text}`
      ahead += 2
    }
    const brace = this.#reader.ahead(ahead)
    if (brace.text !== '{' || brace.kind !== 'sign') return undefined
    this.#reader.skip(ahead)
    return name
  }

  #skipFields(): void {
    while (!this.#reader.is('}')) {
      this.#reader.accept('?')
      if (this.#reader.token.kind !== 'name')
        this.#reader.syntaxError(`mismatched input '${printable(this.#reader.token.text)}' expecting '}'`)
      this.#reader.next()
      this.#reader.expect(':')
      this.#expression()
      if (this.#reader.accept(',') === undefined) break
    }
    this.#reader.expect('}')
  }

  #list(open: CelToken): Expr {
    const elements: { value: Expr; optional: boolean }[] = []
    if (!(this.#reader.is(',') && this.#reader.ahead(1).text === ']')) {
      while (!this.#reader.is(']')) {
        const optional = this.#reader.accept('?') !== undefined
        elements.push({ value: this.#expression(), optional })
        if (this.#reader.accept(',') === undefined) break
      }
    } else this.#reader.next()
    this.#reader.expectOneOf([']', ','], "{']', ','}")
    return this.#make({ kind: 'list', elements, offset: open.offset })
  }

  #map(open: CelToken): Expr {
    const entries: { key: Expr; value: Expr; optional: boolean }[] = []
    if (!(this.#reader.is(',') && this.#reader.ahead(1).text === '}')) {
      while (!this.#reader.is('}')) {
        const optional = this.#reader.accept('?') !== undefined
        const key = this.#expression()
        this.#reader.expect(':')
        entries.push({ key, value: this.#expression(), optional })
        if (this.#reader.accept(',') === undefined) break
      }
    } else this.#reader.next()
    this.#reader.expectOneOf(['}', ','], "{'}', ','}")
    return this.#make({ kind: 'map', entries, offset: open.offset })
  }
}
