import { showKey } from './member-access.ts'
import type { CheckedExpression } from '../checker/check-expression.ts'
import { EntryMap, mapKey } from '../types/map-value.ts'
import { CelList, CelOptional, type CelValue, type Result } from '../types/value.ts'
import { planAccess } from './plan-access.ts'
import { planCall } from './plan-call.ts'
import { planFold } from './plan-fold.ts'
import { constantly, type Plan, planIdent, type Planner, type Step, varying } from './planner.ts'
import { LIST_COST, MAP_COST } from '../types/run-budget.ts'
import type { Expr, ListExpr, MapExpr } from '../parser/syntax.ts'
import { Failure } from '../types/scalar.ts'

/** An expression ready to run, and how many slots it needs; the first are the variables, in the order given. */
export interface PlannedExpression {
  readonly step: Step
  readonly slots: number
}

/** Turns a checked expression into steps. Throws `CelCompileError` for a constant that cannot be converted. */
export function planExpression(checked: CheckedExpression, variables: readonly string[]): PlannedExpression {
  const scopes: ReadonlyMap<string, number>[] = [new Map(variables.map((name, slot) => [name, slot]))]
  let slots = variables.length
  let accumulates: 'list' | 'map' | undefined
  const planner: Planner = {
    checked,
    plan: (expr) => planAny(planner, expr, true),
    planBranch: (expr) => planAny(planner, expr, false),
    slotOf: (name) => {
      const plain = name.startsWith('.') ? name.slice(1) : name
      return scopes.findLast((scope) => scope.has(plain))?.get(plain) ?? 0
    },
    within: (names, work) => {
      scopes.push(new Map(names.map((name) => [name, slots++])))
      const done = work()
      scopes.pop()
      return done
    },
    accumulates: () => accumulates,
    accumulating: (kind, work) => {
      const outer = accumulates
      accumulates = kind
      const done = work()
      accumulates = outer
      return done
    },
  }
  const { step } = planner.plan(checked.root)
  return { step, slots }
}

function planAny(planner: Planner, expr: Expr, counted: boolean): Plan {
  switch (expr.kind) {
    case 'literal':
      return constantly(expr.value)
    case 'ident':
      return planIdent(planner, expr, counted)
    case 'select':
      return planAccess(planner, expr, counted)
    case 'call':
      if (expr.name === '_[_]' || expr.name === '_[?_]' || expr.name === '_?._')
        return planAccess(planner, expr, counted)
      return planCall(planner, expr)
    case 'list':
      return planList(planner, expr)
    case 'map':
      return planMap(planner, expr)
    case 'fold':
      return planFold(planner, expr)
    case 'message':
    default:
      return varying(() => new Failure(`unknown type '${expr.name}'`))
  }
}

function planList(planner: Planner, expr: ListExpr): Plan {
  const items = expr.elements.map(({ value, optional }) => ({ plan: planner.plan(value), optional }))
  const step: Step = (frame) => {
    const values: CelValue[] = []
    for (const { plan, optional } of items) {
      const value = plan.step(frame)
      if (value instanceof Failure) return value
      if (!optional) values.push(value)
      else if (!(value instanceof CelOptional))
        return new Failure('cannot initialize optional list element from non-optional value')
      else if (value.value !== undefined) values.push(value.value)
    }
    frame.run.spend(LIST_COST)
    return new CelList(values)
  }
  const constants = items.flatMap(({ plan, optional }) =>
    plan.constant === undefined || optional ? [] : [plan.constant.value],
  )
  return constants.length === items.length ? constantly(new CelList(constants)) : varying(step)
}

function planMap(planner: Planner, expr: MapExpr): Plan {
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: planner.plan(key),
    value: planner.plan(value),
    optional,
  }))
  const build = (pairs: Iterable<readonly [Result, Result, boolean]>): Result => {
    const map = new Map<string | boolean | bigint | number, { readonly key: CelValue; readonly value: CelValue }>()
    for (const [key, value, optional] of pairs) {
      if (key instanceof Failure) return key
      if (value instanceof Failure) return value
      const name = mapKey(key)
      if (name === undefined) return new Failure(`unsupported key type: ${showKey(key)}`)
      const held = optional && value instanceof CelOptional ? value.value : value
      if (held !== undefined) map.set(name, { key, value: held })
    }
    return new EntryMap(map)
  }
  if (
    entries.every(({ key, value, optional }) => key.constant !== undefined && value.constant !== undefined && !optional)
  ) {
    const built = build(
      entries.map(({ key, value }) => [key.constant?.value ?? null, value.constant?.value ?? null, false]),
    )
    if (!(built instanceof Failure)) return constantly(built)
  }
  return varying((frame) => {
    const built = build(
      entries.map(({ key, value, optional }) => [key.step(frame), value.step(frame), optional] as const),
    )
    frame.run.spend(MAP_COST)
    return built
  })
}
