import type { CelType } from '../types/cel-type.ts'
import { DYN, formatType, mapParameters, parametersOf, sameType } from '../types/cel-type.ts'

const isDynOrError = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error'

/** The types that the type parameters of one check stand for so far. The rules are cel-go's, so that the same rules compile. */
export class TypeSubstitution {
  readonly #bound = new Map<string, CelType>()
  // Undone when a match fails half-way; copying the map for each try would cost the square of the expression.
  #trail: { readonly name: string; readonly old: CelType | undefined }[] = []
  #fresh = 0

  /** A type parameter that no other has the name of. */
  fresh(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}` }
  }

  /** May a value of type `from` stand where `to` is wanted? Binds parameters where it may, and only then. */
  assign(to: CelType, from: CelType): boolean {
    return this.assignAll([to], [from])
  }

  /** As `assign`, for lists that must agree member by member. */
  assignAll(to: readonly CelType[], from: readonly CelType[]): boolean {
    this.#trail = []
    if (this.#eachAssigns(to, from)) return true
    for (const { name, old } of this.#trail.toReversed()) {
      if (old === undefined) this.#bound.delete(name)
      else this.#bound.set(name, old)
    }
    return false
  }

  /** The type with its parameters replaced by what they stand for, the unknown ones by `dyn` where `complete`. */
  resolve(type: CelType, complete: boolean): CelType {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name)
      if (bound !== undefined) return this.resolve(bound, complete)
      return complete ? DYN : type
    }
    return mapParameters(type, (one) => this.resolve(one, complete))
  }

  #eachAssigns(left: readonly CelType[], right: readonly CelType[]): boolean {
    return left.length === right.length && left.every((one, at) => this.#assigns(one, right[at] ?? DYN))
  }

  #assigns(left: CelType, right: CelType): boolean {
    if (right.kind === 'param') {
      const outcome = this.#stands(left, right)
      if (outcome !== 'unbound') return outcome === 'yes'
    }
    if (left.kind === 'param') return this.#stands(right, left) === 'yes'
    if (isDynOrError(left) || isDynOrError(right)) return true
    if (left.kind === 'null') return nullable(right)
    if (right.kind === 'null') return nullable(left)
    if (left.kind !== right.kind) return false
    if (left.kind === 'type') return true
    if (left.kind === 'opaque' && right.kind === 'opaque' && left.name !== right.name) return false
    const isNested = left.kind === 'list' || left.kind === 'map' || left.kind === 'opaque'
    return isNested ? this.#eachAssigns(parametersOf(left), parametersOf(right)) : sameType(left, right)
  }

  /** May the parameter stand for the type? `unbound` when it cannot because it occurs within, so another way is tried. */
  #stands(type: CelType, parameter: CelType & { readonly kind: 'param' }): 'yes' | 'no' | 'unbound' {
    if (sameType(type, parameter)) return 'yes'
    const bound = this.#bound.get(parameter.name)
    if (bound === undefined) {
      if (this.#occurs(parameter, type)) return 'unbound'
      this.#bind(parameter.name, type)
      return 'yes'
    }
    if (sameType(type, bound)) return 'yes'
    if (!this.#assigns(type, bound)) return 'no'
    const general = mostGeneral(type, bound)
    if (!this.#occurs(parameter, general)) this.#bind(parameter.name, general)
    return 'yes'
  }

  #bind(name: string, type: CelType): void {
    this.#trail.push({ name, old: this.#bound.get(name) })
    this.#bound.set(name, type)
  }

  #occurs(parameter: CelType & { readonly kind: 'param' }, within: CelType): boolean {
    if (within.kind === 'param') {
      if (within.name === parameter.name) return true
      const bound = this.#bound.get(within.name)
      return bound !== undefined && this.#occurs(parameter, bound)
    }
    return parametersOf(within).some((one) => this.#occurs(parameter, one))
  }
}

/** The one of two assignable types that takes more values. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return lessSpecific(left, right) ? left : right
}

function lessSpecific(left: CelType, right: CelType): boolean {
  if (left.kind === 'dyn' || left.kind === 'param') return true
  if (right.kind === 'dyn' || right.kind === 'param') return false
  if (left.kind !== right.kind) return false
  if (left.kind === 'type') return true
  const rights = parametersOf(right)
  const lefts = parametersOf(left)
  if (lefts.length === 0 || lefts.length !== rights.length) return sameType(left, right)
  if (left.kind === 'opaque' && right.kind === 'opaque' && left.name !== right.name) return false
  return lefts.every((one, at) => lessSpecific(one, rights[at] ?? DYN))
}

const NULLABLE: ReadonlySet<string> = new Set(['null', 'opaque', 'struct', 'duration', 'timestamp'])
const nullable = (type: CelType): boolean => NULLABLE.has(type.kind)

/** `(int, string)`, or `int.(string)` for a call on a receiver, as cel-go prints the arguments that fit no overload. */
export function formatSignature(target: CelType | undefined, args: readonly CelType[]): string {
  const list = `(${args.map(formatType).join(', ')})`
  return target === undefined ? list : `${formatType(target)}.${list}`
}
