import { Quantity } from './quantity.ts'

/**
 * Amounts by resource name. The operations are those of upstream `apiserver/pkg/quota/v1`: pure; their results hold the first
 * list's names in its order, then what only the second has.
 */
export type ResourceList = { readonly [name: string]: Quantity }

type Building = { [name: string]: Quantity }

/** The amount of a name, or undefined; safe for names such as `constructor` that every object inherits. */
export function quantityOf(list: ResourceList, name: string): Quantity | undefined {
  const quantity: unknown = list[name]
  return quantity instanceof Quantity ? quantity : undefined
}

function put<T>(list: { [name: string]: T }, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(list, name, { value, enumerable: true, configurable: true, writable: true })
  else list[name] = value
}

function combine(
  a: ResourceList,
  b: ResourceList,
  both: (left: Quantity, right: Quantity) => Quantity,
  onlyLeft: (quantity: Quantity) => Quantity,
  onlyRight: (quantity: Quantity) => Quantity,
): ResourceList {
  const result: Building = { ...a }
  for (const name of Object.keys(a)) {
    const left = quantityOf(a, name)
    if (left === undefined) continue
    const right = quantityOf(b, name)
    put(result, name, right === undefined ? onlyLeft(left) : both(left, right))
  }
  for (const name of Object.keys(b)) {
    const right = quantityOf(b, name)
    if (right !== undefined && quantityOf(a, name) === undefined) put(result, name, onlyRight(right))
  }
  return result
}

const same = (quantity: Quantity): Quantity => quantity
const negated = (quantity: Quantity): Quantity => quantity.neg()
const nothing = (): Quantity => Quantity.zero
const positive = (quantity: Quantity): Quantity => (quantity.sign() > 0 ? quantity : Quantity.zero)
const sum = (left: Quantity, right: Quantity): Quantity => left.add(right)
const gap = (left: Quantity, right: Quantity): Quantity => left.sub(right)
const larger = (left: Quantity, right: Quantity): Quantity => (left.cmp(right) > 0 ? left : right)

/** The sum over the names of both. */
export function add(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, sum, same, same)
}

/** a − b over the names of both; a name that only b has counts as 0 in a. */
export function subtract(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, gap, same, negated)
}

/** a − b over the names of both, where nothing falls below 0. */
export function subtractWithNonNegativeResult(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, (left, right) => positive(left.sub(right)), positive, nothing)
}

/** The larger amount of each name. */
export function max(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, larger, same, same)
}

function keep(list: ResourceList, wanted: (name: string, quantity: Quantity) => boolean): ResourceList {
  const result: Building = {}
  for (const [name, quantity] of Object.entries(list)) if (wanted(name, quantity)) put(result, name, quantity)
  return result
}

/** The part of the list that has one of these names. */
export function mask(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = toSet(names)
  return keep(list, (name) => wanted.has(name))
}

/** The list without its zeros. */
export function removeZeros(list: ResourceList): ResourceList {
  return keep(list, (_, quantity) => !quantity.isZero())
}

/** Whether both have the same names with the same amounts. */
export function equals(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const left = quantityOf(a, name)
      const right = quantityOf(b, name)
      return left !== undefined && right !== undefined && left.equals(right)
    })
  )
}

/** Whether a is within b, and which names (sorted) are not. Only names that both have are compared. */
export function lessThanOrEqual(
  a: ResourceList,
  b: ResourceList,
): { readonly ok: boolean; readonly exceeded: string[] } {
  const exceeded: string[] = []
  for (const name of Object.keys(b)) {
    const quantity = quantityOf(a, name)
    const limit = quantityOf(b, name)
    if (quantity !== undefined && limit !== undefined && quantity.cmp(limit) > 0) exceeded.push(name)
  }
  return { ok: exceeded.length === 0, exceeded: exceeded.toSorted() }
}

/** Whether every amount is 0. */
export function isZero(list: ResourceList): boolean {
  return Object.values(list).every((quantity) => quantity.isZero())
}

/** The names (sorted) whose amount is below 0. */
export function isNegative(list: ResourceList): string[] {
  return resourceNames(list).filter((name) => (quantityOf(list, name)?.sign() ?? 0) < 0)
}

/** The names, sorted. */
export function resourceNames(list: ResourceList): string[] {
  return Object.keys(list).toSorted()
}

/** Whether the name is among the names. */
export function contains(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

/** Whether the name begins with one of the prefixes. */
export function containsPrefix(prefixes: readonly string[], name: string): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix))
}

/** The names that are in both, sorted, each once. */
export function intersection(a: Iterable<string>, b: Iterable<string>): string[] {
  return [...toSet(a).intersection(toSet(b))].toSorted()
}

/** The names of a that are not in b, sorted, each once. */
export function difference(a: Iterable<string>, b: Iterable<string>): string[] {
  return [...toSet(a).difference(toSet(b))].toSorted()
}

/** The names, each once. */
export function toSet(names: Iterable<string>): ReadonlySet<string> {
  return new Set(names)
}

/** Reads a decoded JSON object of quantities, as `Quantity.fromJson` does each. Throws `QuantityError`. */
export function parseResourceList(json: { readonly [name: string]: unknown }): ResourceList {
  const result: Building = {}
  for (const [name, value] of Object.entries(json)) put(result, name, Quantity.fromJson(value))
  return result
}

/** The list as JSON texts by name, in the order of the names. */
export function formatResourceList(list: ResourceList): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of resourceNames(list)) put(result, name, quantityOf(list, name)?.toString() ?? '')
  return result
}
