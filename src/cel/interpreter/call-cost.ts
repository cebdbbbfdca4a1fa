import { sizeOf } from '../library/type-conversion.ts'
import { IpPrefix } from '../../machinery/ip-address.ts'
import { NamedFormat } from '../types/named-format.ts'
import { CelList, CelMap, type CelValue, type Result, CelOptional } from '../types/value.ts'
import { AUTHORIZATION_COST, LIST_COST, PATTERN_FACTOR, TRAVERSAL_FACTOR } from '../types/run-budget.ts'
import type { Run } from '../types/run-budget.ts'
import { extentOf } from '../types/call-work.ts'
import { Failure } from '../types/scalar.ts'

/**
 * The cost of a call that was made with these arguments and gave this result.
 * Counting may itself be work: `run` is charged for going through the members.
 */
export type CallCost = (args: readonly CelValue[], result: Result, run: Run) => number

const one: CallCost = () => 1

const size = (args: readonly CelValue[], at: number): number => {
  const arg = args[at]
  if (arg instanceof CelOptional) return arg.value === undefined ? 1 : sizeOf(arg.value)
  return arg === undefined ? 1 : sizeOf(arg)
}

const traverse = (length: number, times = 1): number => Math.ceil(length * times * TRAVERSAL_FACTOR)

const traversal =
  (times: number): CallCost =>
  (args) =>
    traverse(size(args, 0), times)

const match: CallCost = (args) => traverse(size(args, 0) + 1) * Math.ceil(size(args, 1) * PATTERN_FACTOR)

/** Of visiting every part of a value. */
function visitCost(value: Result, run: Run): number {
  if (!(value instanceof Failure)) run.work(extentOf(value))
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * TRAVERSAL_FACTOR)
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL_FACTOR)
  if (value instanceof CelList) return value.values().reduce((sum: number, item) => sum + visitCost(item, run), 0)
  if (!(value instanceof CelMap)) return 1
  return value
    .keys()
    .reduce((sum: number, key) => sum + visitCost(key, run) + visitCost(value.find(key) ?? null, run), 0)
}

const visitFirst: CallCost = (args, _, run) => visitCost(args[0] ?? null, run)

const allocate = (length: number): number => Math.floor(length) + 1 + LIST_COST
const newList: CallCost = (_, result) => allocate(sizeOf(result))

const compareAll =
  (at: number): CallCost =>
  (args) => {
    const values = args[at]
    if (!(values instanceof CelList) || values.size === 0) return allocate(0)
    const first = values.at(0)
    const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + TRAVERSAL_FACTOR : 2
    return allocate(values.size * values.size * factor)
  }

const crossed =
  (factor: number): CallCost =>
  (args) =>
    1 + Math.floor(size(args, 0) * size(args, 1) * factor)

/** The bytes that a prefix covers. */
const prefixBytes = (value: CelValue | undefined): number => (value instanceof IpPrefix ? Math.ceil(value.bits / 8) : 1)

const containsIp =
  (text: boolean): CallCost =>
  (args) =>
    traverse(2 * prefixBytes(args[0])) + (text ? traverse(size(args, 1)) : 0)

const containsCidr =
  (text: boolean): CallCost =>
  (args) =>
    traverse(2 * prefixBytes(args[0])) + traverse(prefixBytes(args[0])) + 1 + (text ? traverse(size(args, 1)) : 0)

const validate: CallCost = (args) => {
  const format = args[0]
  const length = format instanceof NamedFormat ? format.patternLength : 1
  return traverse(size(args, 1) + 1) * Math.ceil(length * PATTERN_FACTOR)
}

const smaller = (args: readonly CelValue[]): number => {
  const [left, right] = args
  // The characters of a long text need not be counted to know that a short one has fewer.
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length * 2 <= right.length) return traverse(size(args, 0))
    if (right.length * 2 <= left.length) return traverse(size(args, 1))
  }
  return traverse(Math.min(size(args, 0), size(args, 1)))
}
const both: CallCost = (args) => traverse(size(args, 0) + size(args, 1))

/** By function; the units are those of Kubernetes' `library/cost.go`. */
const BY_FUNCTION: { readonly [name: string]: CallCost } = {
  isSorted: visitFirst,
  sum: visitFirst,
  max: visitFirst,
  min: visitFirst,
  indexOf: visitFirst,
  lastIndexOf: visitFirst,
  url: traversal(1),
  lowerAscii: traversal(1),
  upperAscii: traversal(1),
  substring: traversal(1),
  trim: traversal(1),
  replace: traversal(2),
  split: traversal(2),
  join: (_, result) => traverse(sizeOf(result), 2),
  find: match,
  findAll: match,
  cidr: traversal(1),
  isIP: traversal(1),
  isCIDR: traversal(1),
  'ip.isCanonical': traversal(2),
  quantity: traversal(1),
  isQuantity: traversal(1),
  semver: traversal(1),
  isSemver: traversal(1),
  validate,
  // The evaluator has to ask the authorizer for access.
  check: () => AUTHORIZATION_COST,
}

/** By overload: cel-go's own units, for calls of which the checker knows the one overload. */
const BY_OVERLOAD: { readonly [overload: string]: CallCost } = {
  string_to_ip: traversal(1),
  cidr_contains_ip_string: containsIp(true),
  cidr_contains_ip_ip: containsIp(false),
  cidr_contains_cidr_string: containsCidr(true),
  cidr_contains_cidr: containsCidr(false),
  list_slice: newList,
  lists_range: newList,
  list_reverse: newList,
  list_flatten: (args) => allocate(size(args, 0)),
  list_flatten_int: (args) => allocate(size(args, 0) * Math.max(0, Number(args[1]))),
  list_distinct: compareAll(0),
  list_sets_contains_list: crossed(1),
  list_sets_intersects_list: crossed(1),
  list_sets_equivalent_list: crossed(2),
  starts_with_string: traversal(1),
  ends_with_string: traversal(1),
  string_to_bytes: traversal(1),
  bytes_to_string: traversal(1),
  strings_quote: traversal(1),
  string_format: traversal(1),
  in_list: (args) => size(args, 1),
  less_string: smaller,
  less_bytes: smaller,
  less_equals_string: smaller,
  less_equals_bytes: smaller,
  greater_string: smaller,
  greater_bytes: smaller,
  greater_equals_string: smaller,
  greater_equals_bytes: smaller,
  add_string: both,
  add_bytes: both,
  matches_string: match,
  contains_string: (args) => traverse(size(args, 0)) * traverse(size(args, 1)),
}

/** Returns the cost of calls of a function; `overloads` are those that the checker found to fit. */
export function costOfCalls(name: string, overloads: readonly string[]): CallCost {
  const known = Object.hasOwn(BY_FUNCTION, name) ? BY_FUNCTION[name] : undefined
  if (known !== undefined) return known
  const [overload] = overloads
  if (overload === undefined || overloads.length > 1) return one
  if (/^list_.*_sort$/.test(overload)) return compareAll(0)
  if (overload.endsWith('_sortByAssociatedKeys')) return compareAll(1)
  return (Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload] : undefined) ?? one
}

const isPlain = (value: CelValue): boolean => typeof value !== 'object' && typeof value !== 'string'

/** Of `==` and `!=`. Kubernetes' own types are compared at once. */
export function costOfEquality(left: CelValue, right: CelValue): number {
  if (isPlain(left) && isPlain(right)) return 1
  return smaller([left, right])
}
