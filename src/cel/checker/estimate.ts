import type { CheckedExpression } from './check-expression.ts'
import { NOTHING, ONE, UNKNOWN, fixed, plus, scaled, times, union } from './cost-range.ts'
import type { CostRange } from './cost-range.ts'
import { estimateCall } from './estimate-call.ts'
import type { CallEstimate, SizedPart } from './estimate-call.ts'
import { fieldOf } from '../types/field-name.ts'
import { LIST_COST, MAP_COST, MESSAGE_COST, TRAVERSAL_FACTOR } from '../types/run-budget.ts'
import { KEY_SHAPE } from '../types/schema-shape.ts'
import type { SchemaShape } from '../types/schema-shape.ts'
import type { CallExpr, Expr, FoldExpr, SelectExpr } from '../parser/syntax.ts'
import type { CelType } from '../types/cel-type.ts'
import { optionalValue } from '../types/cel-type.ts'
import { codePoints, CelUint } from '../types/scalar.ts'

export type { CostRange } from './cost-range.ts'

/** Where in the schema a value stands: nowhere in particular, somewhere unknown, or at a shape. */
type Place = SchemaShape | 'unknown' | undefined

/** How large the keys and values of a list or map are. */
interface Entries {
  readonly kind: 'list' | 'map'
  readonly key: CostRange
  readonly value: CostRange
}

interface Local {
  readonly place: Place
  readonly size: CostRange | undefined
  readonly entries: Entries | undefined
}

/**
 * Returns the least and the greatest cost of an expression, by the sizes that the shapes of the variables allow. The
 * rules are those by which Kubernetes refuses a rule in a CRD, so that both refuse the same.
 */
export function estimateCost(checked: CheckedExpression, shapes: ReadonlyMap<string, SchemaShape>): CostRange {
  return new Estimator(checked, shapes).cost(checked.root)
}

class Estimator {
  readonly #checked: CheckedExpression
  readonly #shapes: ReadonlyMap<string, SchemaShape>
  /** Upstream looks every path up from the first variable's schema, however it begins. */
  readonly #root: SchemaShape | undefined
  readonly #places = new Map<number, Place>()
  readonly #sizes = new Map<number, CostRange>()
  readonly #entries = new Map<number, Entries>()
  readonly #locals = new Map<string, Local[]>()

  constructor(checked: CheckedExpression, shapes: ReadonlyMap<string, SchemaShape>) {
    this.#checked = checked
    this.#shapes = shapes
    this.#root = [...shapes.values()].find(({ json }) => json !== 'any')
  }

  cost(expr: Expr): CostRange {
    switch (expr.kind) {
      case 'literal':
        return NOTHING
      case 'ident': {
        const local = this.#local(expr.name)
        this.#places.set(expr.id, local === undefined ? this.#variablePlace(expr.name) : local.place)
        return ONE
      }
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list': {
        const costs = expr.elements.map(({ value }) => this.cost(value))
        const value = this.#unionOf(expr.elements.map((one) => one.value))
        this.#entries.set(expr.id, { kind: 'list', key: ONE, value })
        return plus(...costs, fixed(LIST_COST))
      }
      case 'map': {
        const costs = expr.entries.flatMap((one) => [this.cost(one.key), this.cost(one.value)])
        const key = this.#unionOf(expr.entries.map((one) => one.key))
        this.#entries.set(expr.id, { kind: 'map', key, value: this.#unionOf(expr.entries.map((one) => one.value)) })
        return plus(...costs, fixed(MAP_COST))
      }
      case 'message':
        return fixed(MESSAGE_COST)
      case 'fold':
      default:
        return expr.condition.kind === 'literal' && expr.condition.value === false ? this.#bind(expr) : this.#fold(expr)
    }
  }

  #unionOf(parts: readonly Expr[]): CostRange {
    if (parts.length === 0) return NOTHING
    return parts.map((one) => this.#sizeOf(one)).reduce(union, { min: UNKNOWN.max, max: 0 })
  }

  #variablePlace(name: string): Place {
    const plain = name.startsWith('.') ? name.slice(1) : name
    const shape = this.#shapes.get(plain)
    return shape === undefined || shape.json === 'any' ? this.#root : shape
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name.startsWith('.') ? name.slice(1) : name)?.at(-1)
  }

  #withLocal<T>(name: string, local: Local, work: () => T): T {
    const stack = this.#locals.get(name) ?? []
    this.#locals.set(name, stack)
    stack.push(local)
    const done = work()
    stack.pop()
    return done
  }

  #placeOf(expr: Expr): Place {
    if (expr.kind === 'ident') {
      const local = this.#local(expr.name)
      if (local !== undefined) return local.place
    }
    return this.#places.get(expr.id)
  }

  #below(place: Place, step: (shape: SchemaShape) => SchemaShape | undefined): Place {
    if (place === undefined) return this.#root
    return place === 'unknown' ? place : (step(place) ?? 'unknown')
  }

  #memberPlace(place: Place): Place {
    return this.#below(place, ({ element }) => element)
  }

  #keyPlace(place: Place): Place {
    return this.#below(place, ({ json, element }) =>
      json === 'object' && element !== undefined ? KEY_SHAPE : undefined,
    )
  }

  #select(expr: SelectExpr): CostRange {
    const operand = this.cost(expr.operand)
    if (expr.testOnly) return operand
    const { kind } = this.#checked.typeOf(expr.operand)
    this.#places.set(
      expr.id,
      this.#below(this.#placeOf(expr.operand), ({ fields }) =>
        fields === undefined ? undefined : fieldOf(fields, expr.field),
      ),
    )
    return kind === 'map' || kind === 'struct' ? plus(operand, ONE) : operand
  }

  #call(expr: CallExpr): CostRange {
    const [first] = expr.args
    if (expr.name === 'dyn' && first !== undefined) {
      const cost = plus(ONE, this.cost(first))
      this.#copySizes(expr, first)
      return cost
    }
    const costs = expr.args.map((arg) => this.cost(arg))
    const parts = expr.args.map((arg) => this.#part(arg))
    const reference = this.#checked.referenceOf(expr)
    const namespaced = reference?.kind === 'function' && reference.namespaced
    const overloads = reference?.kind === 'function' ? reference.overloads.map(({ id }) => id) : []
    if (expr.name === '_?._') overloads.push('select_optional_field')
    if (overloads.length === 0) return NOTHING
    const receiver = namespaced ? undefined : expr.target
    const targetCost = receiver === undefined ? NOTHING : this.cost(receiver)
    const target = receiver === undefined ? undefined : this.#part(receiver)
    const name = reference?.kind === 'function' ? reference.name : expr.name
    let total: CostRange = { min: UNKNOWN.max, max: 0 }
    let size: CostRange | undefined
    for (const overload of overloads) {
      const one = this.#overload(expr, name, overload, target, parts, costs)
      total = union(total, one.cost)
      if (one.size !== undefined) size = size === undefined ? one.size : union(size, one.size)
      const indexed = this.#indexed(expr, overload)
      size = (indexed === undefined ? size : indexed.size) ?? this.#knownSize(expr)
    }
    if (size !== undefined) this.#sizes.set(expr.id, size)
    return plus(targetCost, total)
  }

  /** With the costs of the arguments. */
  #overload(
    expr: CallExpr,
    name: string,
    overload: string,
    target: SizedPart | undefined,
    parts: readonly SizedPart[],
    costs: readonly CostRange[],
  ): CallEstimate {
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs
    if (overload === 'logical_and' || overload === 'logical_or') {
      return { cost: { min: first.min, max: plus(first, second).max } }
    }
    if (overload === 'conditional') {
      const [, yes, no] = expr.args
      if (yes !== undefined && no !== undefined) this.#joinEntries(expr, yes, no)
      const size = union(parts[1]?.size ?? UNKNOWN, parts[2]?.size ?? UNKNOWN)
      return { cost: plus(first, union(second, third)), size }
    }
    if (overload.startsWith('add_') && expr.args[0] !== undefined && expr.args[1] !== undefined) {
      this.#joinEntries(expr, expr.args[0], expr.args[1])
    }
    const equality = overload === 'equals' ? this.#libraryEquality(expr) : undefined
    const { cost, size } = equality === undefined ? estimateCall(name, overload, target, parts) : { cost: equality }
    return { cost: plus(cost, ...costs), ...(size === undefined ? {} : { size }) }
  }

  /** Returns the cost of comparing two values of the same one of Kubernetes' own types. */
  #libraryEquality(expr: CallExpr): CostRange | undefined {
    const [left, right] = expr.args
    if (left === undefined || right === undefined) return undefined
    const name = nameOf(this.#checked.typeOf(left))
    if (name !== nameOf(this.#checked.typeOf(right))) return undefined
    if (CHEAP.has(name)) return ONE
    if (name === 'kubernetes.NamedFormat') return scaled({ min: 1, max: MAX_FORMAT_SIZE }, TRAVERSAL_FACTOR)
    if (name !== 'kubernetes.URL') return undefined
    const known = this.#knownSize(left) === undefined ? undefined : this.#knownSize(right)
    return scaled({ min: 1, max: known?.max ?? 1 }, TRAVERSAL_FACTOR)
  }

  #joinEntries(expr: Expr, left: Expr, right: Expr): void {
    const one = this.#entriesOf(left)
    const other = this.#entriesOf(right)
    const joined =
      one === undefined || other === undefined
        ? (one ?? other)
        : { kind: one.kind, key: union(one.key, other.key), value: union(one.value, other.value) }
    if (joined !== undefined) this.#entries.set(expr.id, joined)
  }

  /** For an index: how large what it finds is, after its place is noted. */
  #indexed(expr: CallExpr, overload: string): { readonly size: CostRange | undefined } | undefined {
    const [operand] = expr.args
    if (operand === undefined || (overload !== 'index_list' && overload !== 'index_map')) return undefined
    const size = this.#entriesOf(operand)?.value
    this.#places.set(expr.id, this.#memberPlace(this.#placeOf(operand)))
    return { size }
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#knownSize(from)
    if (size !== undefined) this.#sizes.set(to.id, size)
    const entries = this.#entriesOf(from)
    if (entries !== undefined) this.#entries.set(to.id, entries)
  }

  #entriesOf(expr: Expr): Entries | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined)
  }

  #sizeOf(expr: Expr): CostRange {
    return this.#knownSize(expr) ?? UNKNOWN
  }

  #knownSize(expr: Expr): CostRange | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr)
    if (known !== undefined) return known
    const place = this.#placeOf(expr)
    if (typeof place === 'object') return { min: 0, max: place.maxElements }
    if (isScalar(this.#checked.typeOf(expr))) return ONE
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined
  }

  #part(expr: Expr): SizedPart {
    const type = this.#checked.typeOf(expr)
    if (type.kind !== 'list') return { expr, size: this.#sizeOf(expr), member: undefined }
    const place = this.#placeOf(expr)
    const member = place === undefined ? undefined : this.#memberPlace(place)
    const size = typeof member === 'object' ? { min: 0, max: member.maxElements } : UNKNOWN
    const isText = type.element.kind === 'string' || type.element.kind === 'bytes'
    return { expr, size: this.#sizeOf(expr), member: { size, isText } }
  }

  #fold(expr: FoldExpr): CostRange {
    const range = this.cost(expr.range)
    const initial = this.cost(expr.initial)
    const place = this.#placeOf(expr.range)
    const entries = this.#entriesOf(expr.range)
    const kind = entries?.kind ?? this.#checked.typeOf(expr.range).kind
    const accumulator = this.#localOf(expr.initial)
    const [loop, result] = this.#withLocal(expr.accumulator, accumulator, () => {
      const first = this.#firstVariable(expr, place, entries, kind)
      const inner = this.#withLocal(expr.variable, first, () => this.#loop(expr, place, entries))
      return [inner, this.cost(expr.result)] as const
    })
    const count = this.#sizeOf(expr.range)
    if (expr.initial.kind === 'literal') {
      const size = this.#knownSize(expr.initial)
      if (size !== undefined) this.#sizes.set(expr.id, size)
    } else if (expr.initial.kind === 'list' || expr.initial.kind === 'map') {
      this.#sizes.set(expr.id, count)
      const stepEntries = this.#entriesOf(expr.step)
      if (stepEntries !== undefined) this.#entries.set(expr.id, stepEntries)
    }
    return plus(range, initial, result, times(count, loop))
  }

  #localOf(expr: Expr): Local {
    return { place: this.#placeOf(expr), size: this.#knownSize(expr), entries: this.#entriesOf(expr) }
  }

  #firstVariable(expr: FoldExpr, place: Place, entries: Entries | undefined, kind: string): Local {
    if (kind !== 'list') return { place: this.#keyPlace(place), size: entries?.key, entries: undefined }
    if (expr.variable2 !== undefined)
      return { place: this.#below(place, () => undefined), size: entries?.key, entries: undefined }
    return { place: this.#memberPlace(place), size: entries?.value, entries: undefined }
  }

  #loop(expr: FoldExpr, place: Place, entries: Entries | undefined): CostRange {
    const both = (): CostRange => plus(this.cost(expr.condition), this.cost(expr.step))
    if (expr.variable2 === undefined) return both()
    return this.#withLocal(
      expr.variable2,
      { place: this.#memberPlace(place), size: entries?.value, entries: undefined },
      both,
    )
  }

  #bind(expr: FoldExpr): CostRange {
    const range = this.cost(expr.range)
    const initial = this.cost(expr.initial)
    const result = this.#withLocal(expr.accumulator, this.#localOf(expr.initial), () => {
      const cost = this.cost(expr.result)
      this.#copySizes(expr, expr.result)
      return cost
    })
    return plus(range, initial, result)
  }
}

const MAX_FORMAT_SIZE = 64

const CHEAP: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])

const nameOf = (type: CelType): string => (type.kind === 'struct' || type.kind === 'opaque' ? type.name : type.kind)

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function isScalar(type: CelType): boolean {
  const held = optionalValue(type)
  return held === undefined ? SCALARS.has(type.kind) : isScalar(held)
}

function literalSize(expr: Expr): CostRange | undefined {
  if (expr.kind === 'list') return fixed(expr.elements.length)
  if (expr.kind === 'map') return fixed(expr.entries.length)
  if (expr.kind !== 'literal') return undefined
  const { value } = expr
  if (typeof value === 'string') return fixed(codePoints(value))
  if (value instanceof Uint8Array) return fixed(value.length)
  return typeof value === 'object' && value !== null && !(value instanceof CelUint) ? undefined : ONE
}
