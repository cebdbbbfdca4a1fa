import { showKey } from './access.ts'
import type { CheckedExpression } from './check.ts'
import { EntryMap, mapKey } from './map-value.ts'
import { CelList } from './list-value.ts'
import { planAccess } from './plan-access.ts'
import { planCall } from './plan-call.ts'
import { planFold } from './plan-fold.ts'
import { LIST_COST, MAP_COST } from './run.ts'
import type { Run } from './run.ts'
import type { Expr, IdentExpr, ListExpr, MapExpr } from './syntax.ts'
import { CelOptional, Failure } from './value.ts'
import type { CelValue, Result } from './value.ts'

/** What a running expression reads and writes: its variables, those of the macros included, each in a slot. */
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
