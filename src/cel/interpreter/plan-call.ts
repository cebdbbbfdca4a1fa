import { add, divide, modulo, multiply, negate, subtract } from '../types/arithmetic.ts'
import { costOfCalls, costOfEquality } from './call-cost.ts'
import type { CallCost } from './call-cost.ts'
import { extentOf, workOfCalls } from '../types/call-work.ts'
import { CelCompileError } from '../types/error.ts'
import { compareValues } from '../types/compare-order.ts'
import type { Overload } from '../library/declaration.ts'
import { contains, equal } from '../types/equal.ts'
import { compilePattern } from '../library/regex-pattern.ts'
import { PATTERN_FUNCTIONS } from '../library/regex.ts'
import { CelList, CelMap, CelOptional, type CelValue, type Result } from '../types/value.ts'
import { mapKey } from '../types/map-value.ts'
import { constantly, varying } from './planner.ts'
import type { Frame, Plan, Planner, Step } from './planner.ts'
import { planAccumulation } from './plan-fold.ts'
import { Run } from '../types/run-budget.ts'
import type { CallExpr, Expr } from '../parser/syntax.ts'
import { Failure, noSuchOverload } from '../types/scalar.ts'
import { typeOfValue } from '../types/value-type.ts'

/** The plan of an operator or function. */
export function planCall(planner: Planner, expr: CallExpr): Plan {
  const accumulation = planAccumulation(planner, expr)
  if (accumulation !== undefined) return accumulation
  const [first, second, third] = expr.args
  switch (expr.name) {
    case '_&&_':
      return planLogical(planner, first, second, false)
    case '_||_':
      return planLogical(planner, first, second, true)
    case '_?_:_':
      return planConditional(planner, first, second, third)
    case '_==_':
    case '_!=_':
      return planEquality(planner, first, second, expr.name === '_==_')
    case '@in':
      return planIn(planner, expr)
    case '!_':
    case '@not_strictly_false':
    case '-_':
      return planUnary(planner, first, expr.name)
    case 'or':
    case 'orValue':
      if (expr.target !== undefined) return planOr(planner, expr.target, first, expr.name === 'or')
      break
    default:
      break
  }
  const operation = binaryOf(expr.name)
  return operation === undefined ? planFunction(planner, expr) : planBinary(planner, expr, operation)
}

const step = (planner: Planner, expr: Expr | undefined): Step =>
  expr === undefined ? () => noSuchOverload : planner.plan(expr).step

/** `decisive` is what one side alone makes of the whole: a failure on the other side does not matter then. */
function planLogical(planner: Planner, first: Expr | undefined, second: Expr | undefined, decisive: boolean): Plan {
  const left = step(planner, first)
  const right = step(planner, second)
  return varying((frame) => {
    const one = left(frame)
    if (one === decisive) return decisive
    const other = right(frame)
    if (other === decisive) return decisive
    if (one instanceof Failure) return one
    if (other instanceof Failure) return other
    return one === !decisive && other === !decisive ? one : noSuchOverload
  })
}

function planConditional(
  planner: Planner,
  condition: Expr | undefined,
  yes: Expr | undefined,
  no: Expr | undefined,
): Plan {
  const ask = step(planner, condition)
  if (yes === undefined || no === undefined) return varying(() => noSuchOverload)
  const ifTrue = planner.planBranch(yes).step
  const ifFalse = planner.planBranch(no).step
  return varying((frame) => {
    const answer = ask(frame)
    if (answer === true) return ifTrue(frame)
    if (answer === false) return ifFalse(frame)
    return answer instanceof Failure ? answer : noSuchOverload
  })
}

function planEquality(planner: Planner, first: Expr | undefined, second: Expr | undefined, wanted: boolean): Plan {
  const left = step(planner, first)
  const right = step(planner, second)
  return varying((frame) => {
    const one = left(frame)
    const other = right(frame)
    if (one instanceof Failure) return failed(frame, one)
    if (other instanceof Failure) return failed(frame, other)
    frame.run.spend(costOfEquality(one, other))
    const same = equal(one, other, frame.run)
    return same instanceof Failure ? same : same === wanted
  })
}

function planUnary(planner: Planner, operand: Expr | undefined, name: string): Plan {
  const inner = step(planner, operand)
  return varying((frame) => {
    const value = inner(frame)
    frame.run.spend(1)
    if (name === '@not_strictly_false') return value !== false
    if (value instanceof Failure) return value
    if (name === '-_') return negate(value)
    return typeof value === 'boolean' ? !value : noSuchOverload
  })
}

/** A call whose argument failed costs all the same. */
function failed(frame: Frame, result: Result): Result {
  frame.run.spend(1)
  return result
}

type Binary = (left: CelValue, right: CelValue, run: Run) => Result

const relation =
  (holds: (order: number) => boolean): Binary =>
  (left, right, run) => {
    // All of both is looked at, also where the cost goes by the shorter one.
    if (typeof left !== 'bigint' && typeof left !== 'number') run.work((extentOf(left) + extentOf(right)) / 2)
    const order = compareValues(left, right)
    return order instanceof Failure ? order : holds(order)
  }

const BINARY: { readonly [name: string]: Binary } = {
  '_+_': add,
  '_-_': subtract,
  '_*_': multiply,
  '_/_': divide,
  '_%_': modulo,
  '_<_': relation((order) => order < 0),
  '_<=_': relation((order) => order <= 0),
  '_>_': relation((order) => order > 0),
  '_>=_': relation((order) => order >= 0),
}

const binaryOf = (name: string): Binary | undefined => (Object.hasOwn(BINARY, name) ? BINARY[name] : undefined)

function overloadsOf(planner: Planner, expr: CallExpr): readonly Overload[] {
  const reference = planner.checked.referenceOf(expr)
  return reference?.kind === 'function' ? reference.overloads : []
}

const idsOf = (overloads: readonly Overload[]): readonly string[] => overloads.map(({ id }) => id)

/** Whether a value has a size that decides the cost of an operator. */
const isSized = (value: CelValue): boolean => typeof value === 'string' || typeof value === 'object'

function planBinary(planner: Planner, expr: CallExpr, operation: Binary): Plan {
  const left = step(planner, expr.args[0])
  const right = step(planner, expr.args[1])
  const cost = costOfCalls(expr.name, idsOf(overloadsOf(planner, expr)))
  return varying((frame) => {
    const one = left(frame)
    const other = right(frame)
    if (one instanceof Failure) return failed(frame, one)
    if (other instanceof Failure) return failed(frame, other)
    frame.run.spend(isSized(one) ? cost([one, other], null, frame.run) : 1)
    return operation(one, other, frame.run)
  })
}

function planIn(planner: Planner, expr: CallExpr): Plan {
  const left = step(planner, expr.args[0])
  const container = expr.args[1] === undefined ? undefined : planner.plan(expr.args[1])
  const cost = costOfCalls(expr.name, idsOf(overloadsOf(planner, expr)))
  const known = constantMembers(container?.constant?.value)
  if (known?.size === 0) return constantly(false)
  if (known !== undefined) {
    return varying((frame) => {
      const wanted = left(frame)
      if (wanted instanceof Failure) return wanted
      const key = mapKey(wanted)
      return key !== undefined && known.has(key)
    })
  }
  return varying((frame) => {
    const wanted = left(frame)
    const within = container?.step(frame) ?? null
    if (wanted instanceof Failure) return failed(frame, wanted)
    if (within instanceof Failure) return failed(frame, within)
    frame.run.spend(cost([wanted, within], null, frame.run))
    if (within instanceof CelList) return contains(within, wanted, frame.run)
    if (!(within instanceof CelMap)) return noSuchOverload
    const found = within.find(wanted)
    return found instanceof Failure ? found : found !== undefined
  })
}

/** The members of a constant list of plain values, in which a value is found at once and for nothing. */
function constantMembers(value: CelValue | undefined): ReadonlySet<unknown> | undefined {
  if (!(value instanceof CelList)) return undefined
  const keys = value.values().map((one) => (one instanceof Failure ? undefined : mapKey(one)))
  return keys.includes(undefined) ? undefined : new Set<unknown>(keys)
}

function planOr(planner: Planner, target: Expr, other: Expr | undefined, optional: boolean): Plan {
  const first = step(planner, target)
  const second = step(planner, other)
  return varying((frame) => {
    const value = first(frame)
    if (value instanceof Failure) return value
    if (!(value instanceof CelOptional)) return noSuchOverload
    if (value.value === undefined) return second(frame)
    return optional ? value : value.value
  })
}

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double dyn duration int string timestamp type uint'.split(' '),
)

function planFunction(planner: Planner, expr: CallExpr): Plan {
  const reference = planner.checked.referenceOf(expr)
  const name = reference?.kind === 'function' ? reference.name : expr.name
  const overloads = overloadsOf(planner, expr)
  const receiver = reference?.kind === 'function' && reference.namespaced ? undefined : expr.target
  const plans = [...(receiver === undefined ? [] : [receiver]), ...expr.args].map((arg) => planner.plan(arg))
  const cost = costOfCalls(name, idsOf(overloads))
  const call = withConstantPattern(overloads, plans) ?? dispatch(name, overloads)
  const only = plans.length === 1 ? plans[0]?.constant : undefined
  if (only !== undefined && CONVERSIONS.has(name)) return convertedConstant(call([only.value], new Run(Infinity)))
  const work = workOfCalls(name)
  const counted: Call = (args, run) => {
    run.work(work(args))
    return call(args, run)
  }
  return varying((frame) => invoke(plans, counted, cost, frame))
}

type Call = (args: readonly CelValue[], run: Run) => Result

function invoke(plans: readonly Plan[], call: Call, cost: CallCost, frame: Frame): Result {
  const args: CelValue[] = []
  for (const plan of plans) {
    const arg = plan.step(frame)
    if (arg instanceof Failure) return failed(frame, arg)
    args.push(arg)
  }
  const result = call(args, frame.run)
  frame.run.spend(cost(args, result, frame.run))
  return result
}

function convertedConstant(result: Result): Plan {
  if (result instanceof Failure) throw new CelCompileError(result.message, [], 'program')
  return constantly(result)
}

function dispatch(name: string, overloads: readonly Overload[]): Call {
  return (args, run) => {
    for (const { call } of overloads) {
      const result = call?.(args, run)
      if (result !== undefined) return result
    }
    const types = args.map((arg) => typeOfValue(arg).name)
    return new Failure(name === 'size' ? 'no such overload: size' : `no such overload: ${name}(${types.join(', ')})`)
  }
}

/** A function of a regular expression that is a constant: it is compiled once. */
function withConstantPattern(overloads: readonly Overload[], plans: readonly Plan[]): Call | undefined {
  const [overload] = overloads
  const source = plans[1]?.constant?.value
  const known = overload === undefined || overloads.length > 1 ? undefined : PATTERN_FUNCTIONS[overload.id]
  if (known === undefined || typeof source !== 'string') return undefined
  const pattern = compilePattern(source)
  if (pattern instanceof Failure) throw new CelCompileError(pattern.message, [], 'program')
  return ([text, , limit], run) => {
    if (typeof text !== 'string') return noSuchOverload
    return known.apply(pattern, text, typeof limit === 'bigint' ? limit : -1n, run)
  }
}
