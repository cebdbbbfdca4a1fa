import { NOTHING, ONE, UNKNOWN, fixed, plus, scaled, times } from './cost-range.ts'
import type { CostRange } from './cost-range.ts'
import { AUTHORIZATION_COST, LIST_COST, PATTERN_FACTOR, TRAVERSAL_FACTOR } from '../types/run-budget.ts'
import type { Expr } from '../parser/syntax.ts'

/** A part of a call whose cost is estimated. */
export interface SizedPart {
  readonly expr: Expr
  /** How large its value may be; unknown is anything. */
  readonly size: CostRange
  /** How large the members of the list are that it is: `undefined` for a value that is not a list. */
  readonly member: { readonly size: CostRange; readonly isText: boolean } | undefined
}

/** The cost of a call beyond its arguments, and how large its result may be where that follows from them. */
export interface CallEstimate {
  readonly cost: CostRange
  readonly size?: CostRange
}

type Estimate = (target: SizedPart | undefined, args: readonly SizedPart[]) => CallEstimate | undefined

const sizeAt = (args: readonly SizedPart[], at: number): CostRange => args[at]?.size ?? UNKNOWN
const traverse = (size: CostRange, count = 1): CostRange => scaled(size, count * TRAVERSAL_FACTOR)

const overList: Estimate = (target) => {
  if (target === undefined) return undefined
  // The receiver may be a text too.
  if (target.member === undefined) return { cost: traverse(target.size) }
  const each = target.member.isText ? plus(ONE, traverse(target.member.size)) : ONE
  return { cost: times(target.size, each) }
}

const ofArgument =
  (count: number): Estimate =>
  (_, args) =>
    args.length === 0 ? undefined : { cost: traverse(sizeAt(args, 0), count) }

const ofTarget: Estimate = (target) =>
  target === undefined ? undefined : { cost: traverse(target.size), size: target.size }

const nominal: Estimate = () => ({ cost: ONE })

const pattern =
  (withSize: boolean): Estimate =>
  (target, args) => {
    if (target === undefined || args.length === 0) return undefined
    const cost = times(traverse(plus(target.size, ONE)), scaled(sizeAt(args, 0), PATTERN_FACTOR))
    return withSize ? { cost, size: { min: 0, max: target.size.max } } : { cost }
  }

/** How large a text may become in which others are put for parts of it. */
function replacedSize(text: CostRange, old: CostRange, by: CostRange): CostRange {
  const end = (size: number, oldSize: number, keeps: boolean): { readonly count: number; readonly kept: number } => {
    if (oldSize === 0) return { count: size + 1, kept: size }
    return keeps ? { count: 0, kept: size } : { count: Math.ceil(size / oldSize), kept: 0 }
  }
  const most = end(text.max, old.min, by.max <= old.min)
  const least = end(text.min, old.max, old.max <= by.min)
  const counts = { min: least.count, max: most.count }
  return plus(times(counts, by), { min: least.kept, max: most.kept })
}

const replace: Estimate = (target, args) =>
  target === undefined || args.length < 2
    ? undefined
    : { cost: traverse(target.size, 2), size: replacedSize(target.size, sizeAt(args, 0), sizeAt(args, 1)) }

const split: Estimate = (target, args) => {
  if (target === undefined) return undefined
  const limit = args[1]?.expr
  const given =
    limit?.kind === 'literal' && typeof limit.value === 'bigint' ? Number(BigInt.asUintN(64, limit.value)) : undefined
  return { cost: traverse(target.size, 2), size: { min: 0, max: given ?? target.size.max } }
}

const join: Estimate = (target, args) => {
  if (target === undefined) return undefined
  const separators = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) }
  const between = args.length === 0 ? NOTHING : times(sizeAt(args, 0), separators)
  const size = plus(target.member === undefined ? NOTHING : times(target.size, target.member.size), between)
  return { cost: traverse(size), size }
}

const contained: CostRange = { min: 4, max: 16 }

const containsIp =
  (text: boolean): Estimate =>
  (_, args) => ({ cost: plus(traverse(plus(contained, contained)), text ? traverse(sizeAt(args, 0)) : NOTHING) })

const containsCidr =
  (text: boolean): Estimate =>
  (_, args) => ({
    cost: plus(
      traverse(plus(contained, contained)),
      traverse(contained),
      ONE,
      text ? traverse(sizeAt(args, 0)) : NOTHING,
    ),
  })

const validate: Estimate = (_, args) => ({ cost: scaled(traverse(sizeAt(args, 0)), 128 * PATTERN_FACTOR) })

const allocate = (size: CostRange, factor = 1): CallEstimate => ({
  cost: plus(scaled(size, factor), ONE, fixed(LIST_COST)),
  size,
})

const literalInt = (part: SizedPart | undefined, otherwise: number): number => {
  if (part?.expr.kind !== 'literal' || typeof part.expr.value !== 'bigint') return otherwise
  return Math.max(0, Number(part.expr.value))
}

const slice: Estimate = (target, args) => {
  if (target === undefined) return undefined
  const length = literalInt(args[1], target.size.max) - literalInt(args[0], 0)
  return allocate(length < 0 ? fixed(UNKNOWN.max) : fixed(length))
}

const range: Estimate = (_, args) => allocate(fixed(literalInt(args[0], UNKNOWN.max)))

const compareAll =
  (keys: boolean, factor: number): Estimate =>
  (target, args) => {
    const list = keys ? args[0] : target
    return list === undefined ? undefined : allocate(times(list.size, list.size), factor)
  }

const crossed =
  (factor: number): Estimate =>
  (_, args) => ({ cost: plus(scaled(times(sizeAt(args, 0), sizeAt(args, 1)), factor), ONE) })

const smaller: Estimate = (_, args) => {
  const max = Math.min(sizeAt(args, 0).max, sizeAt(args, 1).max)
  return { cost: traverse({ min: max > 0 ? 1 : 0, max }) }
}

const concatenated: Estimate = (_, args) => {
  const size = plus(sizeAt(args, 0), sizeAt(args, 1))
  return { cost: traverse(size), size }
}

const BY_FUNCTION: { readonly [name: string]: Estimate } = {
  isSorted: overList,
  sum: overList,
  max: overList,
  min: overList,
  indexOf: overList,
  lastIndexOf: overList,
  url: (_, args) => ({ cost: traverse(sizeAt(args, 0)), size: sizeAt(args, 0) }),
  lowerAscii: ofTarget,
  upperAscii: ofTarget,
  substring: ofTarget,
  trim: ofTarget,
  replace,
  split,
  join,
  find: pattern(true),
  findAll: pattern(true),
  cidr: ofArgument(1),
  isIP: ofArgument(1),
  isCIDR: ofArgument(1),
  'ip.isCanonical': ofArgument(2),
  quantity: ofArgument(1),
  isQuantity: ofArgument(1),
  semver: ofArgument(1),
  isSemver: ofArgument(1),
  validate,
  check: () => ({ cost: fixed(AUTHORIZATION_COST) }),
}

const BY_OVERLOAD: { readonly [overload: string]: Estimate } = {
  string_to_ip: ofArgument(1),
  cidr_ip: nominal,
  cidr_contains_ip_string: containsIp(true),
  cidr_contains_ip_ip: containsIp(false),
  cidr_contains_cidr_string: containsCidr(true),
  cidr_contains_cidr: containsCidr(false),
  list_slice: slice,
  lists_range: range,
  list_reverse: (target) => (target === undefined ? undefined : allocate(target.size)),
  list_flatten: (target) => (target === undefined ? undefined : allocate(target.size)),
  list_flatten_int: (target, args) =>
    target === undefined ? undefined : allocate(target.size, literalInt(args[0], UNKNOWN.max)),
  list_distinct: compareAll(false, 2),
  list_sets_contains_list: crossed(1),
  list_sets_intersects_list: crossed(1),
  list_sets_equivalent_list: crossed(2),
  string_format: (target) => (target === undefined ? undefined : { cost: traverse(target.size) }),
  string_to_bytes: (_, args) => {
    const size = sizeAt(args, 0)
    return { cost: traverse(size), size: { min: size.min, max: Math.min(UNKNOWN.max, size.max * 4) } }
  },
  bytes_to_string: (_, args) => {
    const size = sizeAt(args, 0)
    return { cost: traverse(size), size: { min: Math.floor(size.min / 4), max: size.max } }
  },
  strings_quote: (_, args) => {
    const size = sizeAt(args, 0)
    return { cost: traverse(size), size: { min: size.min + 2, max: Math.min(UNKNOWN.max, size.max * 2 + 2) } }
  },
  starts_with_string: (_, args) => ({ cost: traverse(sizeAt(args, 0)) }),
  ends_with_string: (_, args) => ({ cost: traverse(sizeAt(args, 0)) }),
  in_list: (_, args) => ({ cost: scaled(sizeAt(args, 1), 1) }),
  matches_string: pattern(false),
  contains_string: (target, args) =>
    target === undefined ? undefined : { cost: times(traverse(target.size), traverse(sizeAt(args, 0))) },
  add_string: concatenated,
  add_bytes: concatenated,
  add_list: (_, args) => ({ cost: ONE, size: plus(sizeAt(args, 0), sizeAt(args, 1)) }),
  equals: smaller,
  not_equals: smaller,
  less_string: smaller,
  less_bytes: smaller,
  less_equals_string: smaller,
  less_equals_bytes: smaller,
  greater_string: smaller,
  greater_bytes: smaller,
  greater_equals_string: smaller,
  greater_equals_bytes: smaller,
}

/** Estimates one overload of a call as Kubernetes' `library/cost.go` and cel-go's `checker/cost.go` do. */
export function estimateCall(
  name: string,
  overload: string,
  target: SizedPart | undefined,
  args: readonly SizedPart[],
): CallEstimate {
  const known = Object.hasOwn(BY_FUNCTION, name) ? BY_FUNCTION[name] : undefined
  const byOverload =
    known ?? sortEstimate(overload) ?? (Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload] : undefined)
  return byOverload?.(target, args) ?? { cost: ONE }
}

function sortEstimate(overload: string): Estimate | undefined {
  const [, type, kind] = /^list_(.+)_(sort|sortByAssociatedKeys)$/.exec(overload) ?? []
  if (type === undefined) return undefined
  const factor = type === 'string' || type === 'bytes' ? 2 + TRAVERSAL_FACTOR : 2
  return compareAll(kind === 'sortByAssociatedKeys', factor)
}
