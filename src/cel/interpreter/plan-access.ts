import { namedMember, memberOf, missing, optionalMember } from './member-access.ts'
import { planIdent, readSlot, varying } from './planner.ts'
import type { Plan, Planner, Step } from './planner.ts'
import { CelList, CelMap, CelOptional, type Result } from '../types/value.ts'
import type { CallExpr, Expr, SelectExpr } from '../parser/syntax.ts'
import { Failure } from '../types/scalar.ts'

/**
 * `a.b`, `a[b]`, `a.?b`, `a[?b]` and `has(a.b)`. The chain costs 1 for what it begins with, which is not `counted`
 * in a branch of `?:` or as a key, and 1 for each member that is there. `has` costs what its members do.
 */
export function planAccess(planner: Planner, expr: SelectExpr | CallExpr, counted: boolean): Plan {
  if (expr.kind === 'select') {
    const reference = planner.checked.referenceOf(expr)
    if (reference?.kind === 'constant') return { step: () => reference.value, constant: { value: reference.value } }
    if (reference?.kind === 'variable') return readSlot(planner.slotOf(reference.name), counted)
    const base = planBase(planner, expr.operand, counted && !expr.testOnly)
    return varying(expr.testOnly ? testField(base, expr.field) : selectField(base, expr.field))
  }
  const [operand, key] = expr.args
  if (operand === undefined || key === undefined) return varying(() => null)
  const base = planBase(planner, operand, counted)
  const keyStep = planner.planBranch(key).step
  return varying(expr.name === '_[_]' ? selectMember(base, keyStep) : selectOptional(base, keyStep))
}

function planBase(planner: Planner, expr: Expr, counted: boolean): Step {
  if (expr.kind === 'ident') {
    const plan = planIdent(planner, expr, counted)
    if (plan.constant === undefined) return plan.step
  }
  const access = expr.kind === 'call' && (expr.name === '_[_]' || expr.name === '_[?_]' || expr.name === '_?._')
  if ((expr.kind === 'select' && !expr.testOnly) || access) return planAccess(planner, expr, counted).step
  const { step } = planner.plan(expr)
  if (!counted || (expr.kind === 'call' && expr.name === '_?_:_')) return step
  return (frame) => {
    frame.run.spend(1)
    return step(frame)
  }
}

function selectField(base: Step, field: string): Step {
  return (frame) => {
    const value = base(frame)
    if (value instanceof Failure) return value
    if (value instanceof CelOptional) return paidOptional(frame.run, optionalMember(value, field))
    frame.run.spend(1)
    const found = namedMember(value, field)
    return found === undefined ? missing(value, field) : found
  }
}

function selectMember(base: Step, keyStep: Step): Step {
  return (frame) => {
    const value = base(frame)
    if (value instanceof Failure) return value
    const key = keyStep(frame)
    if (key instanceof Failure) return key
    if (value instanceof CelOptional) return paidOptional(frame.run, optionalMember(value, key))
    frame.run.spend(1)
    const found = memberOf(value, key)
    return found === undefined ? missing(value, key) : found
  }
}

function selectOptional(base: Step, keyStep: Step): Step {
  return (frame) => {
    const value = base(frame)
    if (value instanceof Failure) return value
    const key = keyStep(frame)
    return key instanceof Failure ? key : paidOptional(frame.run, optionalMember(value, key))
  }
}

function paidOptional(run: { spend(cost: number): void }, found: Result): Result {
  if (found !== CelOptional.none) run.spend(1)
  return found
}

function testField(base: Step, field: string): Step {
  return (frame) => {
    const value = base(frame)
    if (value instanceof Failure) return value
    frame.run.spend(1)
    const held = value instanceof CelOptional ? value.value : value
    if (held instanceof CelList) return memberOf(held, field) ?? false
    return held instanceof CelMap && namedMember(held, field) !== undefined
  }
}
