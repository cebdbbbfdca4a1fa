import type { CelValue } from '../types/value.ts'

interface Node {
  /** Counts from 0; what the checker finds out is kept by this number. */
  readonly id: number
  /** Where complaints about this expression point to, in UTF-16 units. */
  readonly offset: number
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal'
  readonly value: CelValue
}

export interface IdentExpr extends Node {
  readonly kind: 'ident'
  readonly name: string
}

export interface SelectExpr extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** `has(operand.field)`. */
  readonly testOnly: boolean
}

export interface CallExpr extends Node {
  readonly kind: 'call'
  /** Operators have the names that cel-go prints: `_+_`, `_[_]`, `_?_:_`. */
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: Expr; readonly optional: boolean }[]
}

export interface MapExpr extends Node {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[]
}

/** `Name{…}`. No type that Kubernetes declares can be made this way, so the checker always refuses it. */
export interface MessageExpr extends Node {
  readonly kind: 'message'
  readonly name: string
}

/** The expression that the macros become: a fold over a list, or over the keys of a map. */
export interface FoldExpr extends Node {
  readonly kind: 'fold'
  readonly range: Expr
  readonly variable: string
  /** Set for the macros with two variables: the first is then the index or key, the second the value. */
  readonly variable2: string | undefined
  readonly accumulator: string
  readonly initial: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | MessageExpr | FoldExpr

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** An expression that has no number yet. */
export type NewExpr = DistributiveOmit<Expr, 'id'>

/** The accumulator of the macros. It cannot be written in a source. */
export const ACCUMULATOR = '@result'

/** The expressions directly inside an expression. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
    case 'message':
      return []
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements.map(({ value }) => value)
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case 'fold':
    default:
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result]
  }
}

/** `a.b.c` as text, or `undefined` where the expression is not a chain of names. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}
