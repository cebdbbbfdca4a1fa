import { CelCompileError } from '../types/error.ts'
import type { Expr, NewExpr } from './syntax.ts'
import { childrenOf } from './syntax.ts'

/** How large an expression may be. */
export interface SyntaxLimits {
  /** UTF-16 units of source. cel-go: 100,000 code points. */
  readonly maxLength: number
  /** Expressions, those that macros make included. Ours: cel-go has none, its cost estimate stands for it. */
  readonly maxNodes: number
  /** Expressions within one another. cel-go's. */
  readonly maxDepth: number
}

export const SYNTAX_LIMITS: SyntaxLimits = { maxLength: 100_000, maxNodes: 50_000, maxDepth: 250 }

const guard = (message: string): CelCompileError => new CelCompileError(`ERROR: <input>:-1:0: ${message}`, [])

export const tooLong = (size: number, limit: number): CelCompileError =>
  guard(`expression code point size exceeds limit: size: ${size}, limit ${limit}`)

export const tooDeep = (limit: number): CelCompileError => guard(`expression recursion limit exceeded: ${limit}`)

/** Numbers the expressions of one source, and refuses what grows beyond the limits. */
export class ExprFactory {
  readonly #limits: SyntaxLimits
  readonly #depths: number[] = []

  constructor(limits: SyntaxLimits) {
    this.#limits = limits
  }

  /** How many expressions there are. */
  get size(): number {
    return this.#depths.length
  }

  make(expr: NewExpr): Expr {
    const made: Expr = { ...expr, id: this.#depths.length }
    if (this.#depths.length >= this.#limits.maxNodes)
      throw guard(`expression node limit exceeded: ${this.#limits.maxNodes}`)
    const depth = 1 + childrenOf(made).reduce((most, child) => Math.max(most, this.#depths[child.id] ?? 0), 0)
    // A macro puts a few expressions of its own around what is written.
    if (depth > this.#limits.maxDepth * 2) throw guard('max recursion depth exceeded')
    this.#depths.push(depth)
    return made
  }

  /** Refuses a chain such as `a + b + c …` that is written deeper than the limit. */
  checkWritten(depth: number): void {
    if (depth > this.#limits.maxDepth) throw guard('max recursion depth exceeded')
  }

  /** The same expression under new numbers, for a macro that needs it twice. */
  copy(expr: Expr): Expr {
    switch (expr.kind) {
      case 'literal':
      case 'ident':
      case 'message':
        return this.make(expr)
      case 'select':
        return this.make({ ...expr, operand: this.copy(expr.operand) })
      case 'call':
        return this.make({
          ...expr,
          target: expr.target === undefined ? undefined : this.copy(expr.target),
          args: expr.args.map((one) => this.copy(one)),
        })
      case 'list':
        return this.make({ ...expr, elements: expr.elements.map((one) => ({ ...one, value: this.copy(one.value) })) })
      case 'map':
        return this.make({
          ...expr,
          entries: expr.entries.map((one) => ({ ...one, key: this.copy(one.key), value: this.copy(one.value) })),
        })
      case 'fold':
      default:
        return this.make({
          ...expr,
          range: this.copy(expr.range),
          initial: this.copy(expr.initial),
          condition: this.copy(expr.condition),
          step: this.copy(expr.step),
          result: this.copy(expr.result),
        })
    }
  }
}
