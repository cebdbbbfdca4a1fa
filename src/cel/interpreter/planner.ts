import type { CheckedExpression } from '../checker/check-expression.ts'
import type { Run } from '../types/run-budget.ts'
import type { Expr, IdentExpr } from '../parser/syntax.ts'
import type { CelValue, Result } from '../types/value.ts'

/** The memory of a running expression: its variables, those of the macros included, each in a slot. */
export interface Frame {
  readonly slots: Result[]
  readonly run: Run
}

/** A part of an expression, ready to run. */
export type Step = (frame: Frame) => Result

/** A planned part; `constant` is set where it is the same each time, and then costs nothing. */
export interface Plan {
  readonly step: Step
  readonly constant: { readonly value: CelValue } | undefined
}

/** A plan whose step is to be run each time. */
export const varying = (step: Step): Plan => ({ step, constant: undefined })

/** A plan for what is always the same. */
export const constantly = (value: CelValue): Plan => ({ step: () => value, constant: { value } })

/** Makes plans of the parts of one expression. */
export interface Planner {
  readonly checked: CheckedExpression
  readonly plan: (expr: Expr) => Plan
  /** As a branch of `?:` or a key, where upstream does not count the first name of a chain. */
  readonly planBranch: (expr: Expr) => Plan
  /** The slot of a name. */
  readonly slotOf: (name: string) => number
  /** Plans with names that the macros bring; `accumulates` says that the accumulator is a list or map being built. */
  readonly within: <T>(names: readonly string[], work: () => T) => T
  readonly accumulates: () => 'list' | 'map' | undefined
  readonly accumulating: <T>(kind: 'list' | 'map' | undefined, work: () => T) => T
}

/** The plan of a name; the checker has found what it stands for. */
export function planIdent(planner: Planner, expr: IdentExpr, counted: boolean): Plan {
  const reference = planner.checked.referenceOf(expr)
  if (reference?.kind === 'constant') return constantly(reference.value)
  return readSlot(planner.slotOf(expr.name), counted)
}

/** Reads a slot. */
export function readSlot(slot: number, counted: boolean): Plan {
  if (!counted) return varying((frame) => frame.slots[slot] ?? null)
  return varying((frame) => {
    frame.run.spend(1)
    return frame.slots[slot] ?? null
  })
}
