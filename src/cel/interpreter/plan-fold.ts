import { goTypeOf, showKey } from './member-access.ts'
import { CelList, CelMap, type CelValue, type Result } from '../types/value.ts'
import { EntryMap, mapKey } from '../types/map-value.ts'
import { varying } from './planner.ts'
import type { Frame, Plan, Planner, Step } from './planner.ts'
import { LIST_COST } from '../types/run-budget.ts'
import type { Run } from '../types/run-budget.ts'
import { ACCUMULATOR } from '../parser/syntax.ts'
import type { CallExpr, Expr, FoldExpr } from '../parser/syntax.ts'
import { Failure, noSuchOverload } from '../types/scalar.ts'

/** A list that a macro is making. Nothing but the macro sees it before it is done. */
class ListBuilder extends CelList {
  readonly #growing: CelValue[]
  constructor() {
    const growing: CelValue[] = []
    super(growing)
    this.#growing = growing
  }
  push(value: CelValue): void {
    this.#growing.push(value)
  }
}

/** A map that a macro is making. */
class MapBuilder extends EntryMap {
  readonly #growing: Map<string | boolean | bigint | number, { readonly key: CelValue; readonly value: CelValue }>
  constructor() {
    const growing = new Map<string | boolean | bigint | number, { readonly key: CelValue; readonly value: CelValue }>()
    super(growing)
    this.#growing = growing
  }
  insert(key: CelValue, value: CelValue): Failure | undefined {
    const name = mapKey(key)
    if (name === undefined) return new Failure(`unsupported key type: ${showKey(key)}`)
    if (this.#growing.has(name)) return new Failure(`insert failed: key ${showKey(key)} already exists`)
    this.#growing.set(name, { key, value })
    return undefined
  }
}

/** The plan of a macro's fold. */
export function planFold(planner: Planner, expr: FoldExpr): Plan {
  const range = planner.plan(expr.range).step
  const initial = planner.plan(expr.initial).step
  return planner.within([expr.accumulator], () => {
    const slot = planner.slotOf(expr.accumulator)
    const isBinding = expr.condition.kind === 'literal' && expr.condition.value === false
    if (isBinding) {
      const result = planner.accumulating(undefined, () => planner.plan(expr.result).step)
      return varying((frame) => {
        const value = initial(frame)
        frame.slots[slot] = value
        return value instanceof Failure ? value : result(frame)
      })
    }
    const built = builds(expr)
    const names = expr.variable2 === undefined ? [expr.variable] : [expr.variable, expr.variable2]
    const loop = planner.within(names, () => planLoop(planner, expr, slot, built))
    const result = planner.plan(expr.result).step
    return varying((frame) => {
      const over = range(frame)
      if (over instanceof Failure) return over
      if (!(over instanceof CelList || over instanceof CelMap)) {
        return new Failure(`got '${goTypeOf(over)}', expected iterable type`)
      }
      frame.slots[slot] = built === undefined ? initial(frame) : built === 'list' ? new ListBuilder() : new MapBuilder()
      loop(frame, over)
      return result(frame)
    })
  })
}

function builds({ accumulator, initial }: FoldExpr): 'list' | 'map' | undefined {
  if (accumulator !== ACCUMULATOR) return undefined
  if (initial.kind === 'list') return 'list'
  return initial.kind === 'map' ? 'map' : undefined
}

type Loop = (frame: Frame, over: CelList | CelMap) => void

function planLoop(planner: Planner, expr: FoldExpr, slot: number, built: 'list' | 'map' | undefined): Loop {
  const first = planner.slotOf(expr.variable)
  const second = expr.variable2 === undefined ? undefined : planner.slotOf(expr.variable2)
  const [condition, step] = planner.accumulating(built, () => [
    expr.condition.kind === 'literal' ? undefined : planner.plan(expr.condition).step,
    planner.plan(expr.step).step,
  ])
  // A step that only adds to what is there fails for good; one that asks first may yet fail otherwise.
  const goesOn = condition !== undefined || (expr.step.kind === 'call' && expr.step.name === '_?_:_')
  /** Gives whether to go on. */
  const turn = (frame: Frame): boolean => {
    if (condition !== undefined && condition(frame) !== true) return false
    const next = step(frame)
    frame.slots[slot] = next
    return goesOn || !(next instanceof Failure)
  }
  return (frame, over) => {
    const { slots } = frame
    const isList = over instanceof CelList
    // The keys are listed before the first turn.
    if (!isList) frame.run.work(over.size)
    const keys = isList ? undefined : over.keys()
    const size = keys?.length ?? over.size
    for (let at = 0; at < size; at++) {
      // A step without parts that cost anything must not make the loop free.
      frame.run.work(1)
      const key = keys?.[at]
      const value = isList ? over.at(at) : second === undefined ? (key ?? null) : (over.find(key ?? null) ?? null)
      if (second === undefined) slots[first] = value
      else {
        slots[first] = isList ? BigInt(at) : (key ?? null)
        slots[second] = value
      }
      if (!turn(frame)) return
    }
  }
}

const isAccumulator = (expr: Expr | undefined): boolean => expr?.kind === 'ident' && expr.name === ACCUMULATOR

/** The step `accumulator + [item]`, or an insertion, of a macro that makes a list or map. */
export function planAccumulation(planner: Planner, expr: CallExpr): Plan | undefined {
  const built = planner.accumulates()
  if (built === undefined || !isAccumulator(expr.args[0])) return undefined
  const slot = planner.slotOf(ACCUMULATOR)
  if (built === 'list' && expr.name === '_+_') return planAppend(planner, expr.args[1], slot)
  if (built === 'map' && expr.name === 'cel.@mapInsert') return planInsert(planner, expr, slot)
  return undefined
}

function planAppend(planner: Planner, addition: Expr | undefined, slot: number): Plan | undefined {
  const item = addition?.kind === 'list' ? addition.elements[0] : undefined
  if (item === undefined) return undefined
  const plan = planner.accumulating(undefined, () => planner.plan(item.value))
  // The name of the accumulator, the addition, and a list of one unless that is a constant.
  const cost = plan.constant === undefined ? 2 + LIST_COST : 2
  return varying((frame) => {
    const list = frame.slots[slot]
    const value = plan.step(frame)
    frame.run.spend(cost)
    if (list instanceof Failure) return list
    if (value instanceof Failure) return value
    if (!(list instanceof ListBuilder)) return list ?? noSuchOverload
    list.push(value)
    return list
  })
}

function planInsert(planner: Planner, expr: CallExpr, slot: number): Plan {
  const parts: readonly Step[] = planner.accumulating(undefined, () =>
    expr.args.slice(1).map((arg) => planner.plan(arg).step),
  )
  return varying((frame) => {
    const map = frame.slots[slot]
    if (map instanceof Failure) return map
    const values: CelValue[] = []
    for (const part of parts) {
      const value: Result = part(frame)
      if (value instanceof Failure) return value
      values.push(value)
    }
    frame.run.spend(2)
    frame.run.work(2)
    if (!(map instanceof MapBuilder)) return map ?? noSuchOverload
    const [key = null, value] = values
    return (value === undefined ? insertAll(map, key, frame.run) : map.insert(key, value)) ?? map
  })
}

function insertAll(into: MapBuilder, from: CelValue, run: Run): Failure | undefined {
  if (!(from instanceof CelMap)) return noSuchOverload
  run.work(4 * from.size)
  for (const key of from.keys()) {
    const value = from.find(key) ?? null
    const failure = value instanceof Failure ? value : into.insert(key, value)
    if (failure !== undefined) return failure
  }
  return undefined
}
