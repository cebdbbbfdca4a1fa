import { compileError } from '../types/error.ts'
import type { Complaint } from '../types/error.ts'
import type { Declarations, Overload } from '../library/declaration.ts'
import { fieldOf } from '../types/field-name.ts'
import type { ParsedExpression } from '../parser/parse-expression.ts'
import type { CallExpr, Expr, FoldExpr, SelectExpr } from '../parser/syntax.ts'
import { qualifiedName } from '../parser/syntax.ts'
import { TypeSubstitution, formatSignature, mostGeneral } from './type-substitution.ts'
import {
  type CelType,
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  NULL,
  STRING,
  UINT,
  formatType,
  listOf,
  mapOf,
  mapParameters,
  optionalOf,
  optionalValue,
} from '../types/cel-type.ts'
import type { CelValue } from '../types/value.ts'
import type { TypeValue } from '../types/scalar.ts'
import { CelUint } from '../types/scalar.ts'

/** The names of an expression that the checker knows. */
export interface CheckScope {
  readonly variables: ReadonlyMap<string, CelType>
  /** Types as values: `int`, `net.IP`. */
  readonly constants: ReadonlyMap<string, TypeValue>
  readonly functions: Declarations
}

/** The result of the checker for a call or a name. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: TypeValue }
  /** `namespaced`: what looks like a receiver is part of the function's name, as in `sets.contains`. */
  | {
      readonly kind: 'function'
      readonly name: string
      readonly overloads: readonly Overload[]
      readonly namespaced: boolean
    }

/** An expression with its types. */
export interface CheckedExpression extends ParsedExpression {
  readonly typeOf: (expr: Expr) => CelType
  readonly referenceOf: (expr: Expr) => Reference | undefined
  readonly outputType: CelType
  /** The variables that are named, those of macros aside. */
  readonly variables: ReadonlySet<string>
}

/** Finds the type of every part. Throws `CelCompileError` with all complaints, worded as cel-go's checker words them. */
export function checkExpression(parsed: ParsedExpression, scope: CheckScope): CheckedExpression {
  const checker = new Checker(parsed, scope)
  return checker.run()
}

class Checker {
  readonly #parsed: ParsedExpression
  readonly #scope: CheckScope
  readonly #types: CelType[]
  readonly #references: (Reference | undefined)[]
  readonly #complaints: Complaint[] = []
  readonly #substitution = new TypeSubstitution()
  readonly #named = new Set<string>()
  #locals: ReadonlyMap<string, CelType> = new Map()

  constructor(parsed: ParsedExpression, scope: CheckScope) {
    this.#parsed = parsed
    this.#scope = scope
    this.#types = Array.from({ length: parsed.size }, () => ERROR)
    this.#references = Array.from({ length: parsed.size })
  }

  run(): CheckedExpression {
    const { root, source } = this.#parsed
    this.#check(root)
    if (this.#complaints.length > 0) throw compileError(source, this.#complaints)
    const types = this.#types.map((type) => this.#substitution.resolve(type, true))
    return {
      ...this.#parsed,
      typeOf: (expr) => types[expr.id] ?? DYN,
      referenceOf: (expr) => this.#references[expr.id],
      outputType: types[root.id] ?? DYN,
      variables: this.#named,
    }
  }

  #complain(expr: Expr, message: string): CelType {
    this.#complaints.push({ offset: expr.offset, message })
    return ERROR
  }

  #check(expr: Expr): CelType {
    const type = this.#typeOf(expr)
    this.#types[expr.id] = type
    return type
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value)
      case 'ident':
        return this.#name(expr, expr.name) ?? this.#undeclared(expr, expr.name)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list': {
        let element: CelType | undefined
        for (const { value, optional } of expr.elements) element = this.#join(element, this.#item(value, optional))
        return listOf(element ?? this.#substitution.fresh())
      }
      case 'map': {
        let keys: CelType | undefined
        let values: CelType | undefined
        for (const { key, value, optional } of expr.entries) {
          keys = this.#join(keys, this.#check(key))
          values = this.#join(values, this.#item(value, optional))
        }
        return mapOf(keys ?? this.#substitution.fresh(), values ?? this.#substitution.fresh())
      }
      case 'message':
        return this.#undeclared(expr, expr.name)
      case 'fold':
      default:
        return this.#fold(expr)
    }
  }

  #undeclared(expr: Expr, name: string): CelType {
    return this.#complain(expr, `undeclared reference to '${name}' (in container '')`)
  }

  /** The type of a variable or constant, if there is one of that name; a leading dot makes no difference. */
  #name(expr: Expr, name: string): CelType | undefined {
    const plain = name.startsWith('.') ? name.slice(1) : name
    const local = this.#locals.get(plain)
    const type = local ?? this.#scope.variables.get(plain)
    if (type !== undefined) {
      if (local === undefined) this.#named.add(plain)
      this.#references[expr.id] = { kind: 'variable', name: plain }
      return type
    }
    const value = this.#scope.constants.get(plain)
    if (value === undefined) return undefined
    this.#references[expr.id] = { kind: 'constant', value }
    return { kind: 'type', of: value.type }
  }

  #select(expr: SelectExpr): CelType {
    const qualified = expr.testOnly ? undefined : qualifiedName(expr)
    const named = qualified === undefined ? undefined : this.#name(expr, qualified)
    if (named !== undefined) return named
    const type = this.#fieldType(expr, expr.operand, expr.field, false)
    return expr.testOnly ? BOOL : this.#substitution.resolve(type, false)
  }

  #fieldType(expr: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#substitution.resolve(this.#check(operand), false)
    const held = optionalValue(operandType)
    const result = this.#fieldOf(expr, held ?? operandType, field)
    return held !== undefined || optional ? optionalOf(result) : result
  }

  #fieldOf(expr: Expr, target: CelType, field: string): CelType {
    if (target.kind === 'map') return target.value
    if (target.kind === 'struct') {
      return fieldOf(target.fields, field) ?? this.#complain(expr, unknownField(target.name, field))
    }
    if (target.kind === 'param') this.#substitution.assign(DYN, target)
    else if (target.kind !== 'dyn' && target.kind !== 'error') {
      this.#complain(expr, `type '${formatType(target)}' does not support field selection`)
    }
    return DYN
  }

  #call(expr: CallExpr): CelType {
    const { name, target, args } = expr
    if (name === '_?._') {
      const [operand, field] = args
      if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR
      this.#types[field.id] = STRING
      return this.#substitution.resolve(this.#fieldType(expr, operand, field.value, true), false)
    }
    const argTypes = args.map((arg) => this.#check(arg))
    if (target === undefined) return this.#resolve(expr, name, undefined, argTypes, false)
    const prefix = qualifiedName(target)
    if (prefix !== undefined && this.#scope.functions.has(`${prefix}.${name}`)) {
      return this.#resolve(expr, `${prefix}.${name}`, undefined, argTypes, true)
    }
    return this.#resolve(expr, name, this.#check(target), argTypes, false)
  }

  #resolve(
    expr: CallExpr,
    name: string,
    target: CelType | undefined,
    args: readonly CelType[],
    namespaced: boolean,
  ): CelType {
    const overloads = this.#scope.functions.get(name.startsWith('.') ? name.slice(1) : name)
    if (overloads === undefined) return this.#undeclared(expr, name)
    const all = target === undefined ? args : [target, ...args]
    if (name === '_&&_' || name === '_||_') return this.#logical(expr, name, overloads, all)
    const fitting: Overload[] = []
    let result: CelType | undefined
    for (const one of overloads) {
      if (one.member !== (target !== undefined)) continue
      const fresh = this.#instantiate(one)
      if (!this.#substitution.assignAll(all, fresh.args)) continue
      fitting.push(one)
      const given = this.#substitution.resolve(fresh.result, false)
      if (result === undefined) result = given
      else if (result.kind !== 'dyn' && formatType(result) !== formatType(given)) result = DYN
    }
    if (result === undefined) {
      const shown = all.map((type) => this.#substitution.resolve(type, true))
      const signature = formatSignature(target && shown[0], target === undefined ? shown : shown.slice(1))
      return this.#complain(expr, `found no matching overload for '${name}' applied to '${signature}'`)
    }
    this.#references[expr.id] = { kind: 'function', name, overloads: fitting, namespaced }
    return result
  }

  #logical(expr: CallExpr, name: string, overloads: readonly Overload[], types: readonly CelType[]): CelType {
    let wrong = false
    for (const [at, type] of types.entries()) {
      if (this.#substitution.assign(type, BOOL)) continue
      wrong = true
      const shown = formatType(this.#substitution.resolve(type, true))
      this.#complain(expr.args[at] ?? expr, `expected type 'bool' but found '${shown}'`)
    }
    this.#references[expr.id] = { kind: 'function', name, overloads, namespaced: false }
    return wrong ? ERROR : BOOL
  }

  /** The overload's types with parameters of their own. */
  #instantiate({ args, result }: Overload): { readonly args: readonly CelType[]; readonly result: CelType } {
    const own = new Map<string, CelType>()
    const replace = (type: CelType): CelType => {
      if (type.kind !== 'param') return mapParameters(type, replace)
      const known = own.get(type.name) ?? this.#substitution.fresh()
      own.set(type.name, known)
      return known
    }
    return { args: args.map(replace), result: replace(result) }
  }

  #item(value: Expr, optional: boolean): CelType {
    const type = this.#check(value)
    if (!optional) return type
    const held = optionalValue(type)
    if (held !== undefined || type.kind === 'dyn') return held ?? type
    this.#complain(value, `expected type '${formatType(optionalOf(type))}' but found '${formatType(type)}'`)
    return type
  }

  /** Literals of mixed types are `dyn` here; `checkLiterals` refuses them where they may not be. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current
    return this.#substitution.assign(previous, current) ? mostGeneral(previous, current) : DYN
  }

  #mismatch(expr: Expr, expected: CelType, found: CelType): CelType {
    return this.#complain(expr, `expected type '${formatType(expected)}' but found '${formatType(found)}'`)
  }

  #fold(expr: FoldExpr): CelType {
    this.#check(expr.range)
    const accumulated = this.#check(expr.initial)
    const range = this.#substitution.resolve(this.#types[expr.range.id] ?? DYN, false)
    const [first, second] = this.#variables(expr, range)
    const outer = this.#locals
    const inner = new Map(outer).set(expr.accumulator, accumulated)
    this.#locals = new Map(inner).set(expr.variable, first)
    if (expr.variable2 !== undefined) this.#locals = new Map(this.#locals).set(expr.variable2, second)
    this.#assert(expr.condition, BOOL)
    this.#assert(expr.step, accumulated)
    this.#locals = inner
    const result = this.#check(expr.result)
    this.#locals = outer
    return this.#substitution.resolve(result, false)
  }

  #variables(expr: FoldExpr, range: CelType): readonly [CelType, CelType] {
    const two = expr.variable2 !== undefined
    if (range.kind === 'list') return two ? [INT, range.element] : [range.element, DYN]
    if (range.kind === 'map') return [range.key, range.value]
    if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'param') {
      this.#substitution.assign(DYN, range)
      return [DYN, DYN]
    }
    const why = 'cannot be range of a comprehension (must be list, map, or dynamic)'
    this.#complain(expr.range, `expression of type '${formatType(range)}' ${why}`)
    return [ERROR, ERROR]
  }

  #assert(expr: Expr, wanted: CelType): void {
    const type = this.#check(expr)
    if (!this.#substitution.assign(wanted, type)) this.#mismatch(expr, wanted, type)
  }
}

/** The types of Kubernetes' libraries are not structs to cel-go when it looks for their fields. */
const unknownField = (type: string, field: string): string =>
  /^kubernetes\.(?:Quantity|URL|Semver|NamedFormat|authorization\.\w+)$/.test(type)
    ? `unexpected failed resolution of '${type}'`
    : `undefined field '${field}'`

function literalType(value: CelValue): CelType {
  if (typeof value === 'boolean') return BOOL
  if (typeof value === 'bigint') return INT
  if (typeof value === 'number') return DOUBLE
  if (typeof value === 'string') return STRING
  if (value instanceof CelUint) return UINT
  return value === null ? NULL : BYTES
}
