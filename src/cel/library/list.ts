import { add } from '../types/arithmetic.ts'
import { extentOf } from '../types/call-work.ts'
import { compareValues } from '../types/compare-order.ts'
import type { Library, Overload } from './declaration.ts'
import { any, free, int, list, member } from './declaration.ts'
import { equal } from '../types/equal.ts'
import { CelList, CelOptional, type CelValue, type Result } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import type { CelType } from '../types/cel-type.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  formatType,
  listOf,
  optionalOf,
  param,
} from '../types/cel-type.ts'
import { CelDuration, CelUint, Failure } from '../types/scalar.ts'
import { typeOfValue } from '../types/value-type.ts'

const A = param('A')
const SORTABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES]

/** The overloads of a list function for each type of member. */
const forTypes = (types: readonly CelType[], make: (type: CelType, name: string) => Overload): readonly Overload[] =>
  types.map((type) => make(type, formatType(type)))

/** Goes over the members; the first failure, of a member or of `visit`, ends it. */
function eachValue(values: CelList, run: Run, visit: (value: CelValue) => Failure | undefined): Failure | undefined {
  run.work(2 * values.size)
  for (let at = 0; at < values.size; at++) {
    const value = values.at(at)
    // Using a member may go through all of it.
    if (!(value instanceof Failure)) run.work(extentOf(value))
    const failure = value instanceof Failure ? value : visit(value)
    if (failure !== undefined) return failure
  }
  return undefined
}

function isSorted(values: CelList, run: Run): Result {
  let sorted = true
  let previous: CelValue | undefined
  const failure = eachValue(values, run, (value) => {
    if (previous !== undefined) {
      const order = compareValues(previous, value)
      // Members that cannot be compared count as sorted, upstream too.
      if (!(order instanceof Failure) && order > 0) sorted = false
    }
    previous = value
    return undefined
  })
  return failure ?? sorted
}

const ZEROS: { readonly [kind: string]: CelValue } = {
  int: 0n,
  uint: new CelUint(0n),
  double: 0,
  duration: new CelDuration(0n),
}

function sum(values: CelList, kind: string, run: Run): Result {
  let total: Result | undefined
  const failure = eachValue(values, run, (value) => {
    const next: Result = total === undefined || total instanceof Failure ? value : add(total, value, run)
    if (next instanceof Failure) return next
    total = next
    return undefined
  })
  return failure ?? total ?? ZEROS[kind] ?? 0n
}

function extreme(values: CelList, name: 'min' | 'max', run: Run): Result {
  let best: CelValue | undefined
  const failure = eachValue(values, run, (value) => {
    if (best === undefined) {
      best = value
      return undefined
    }
    const order = compareValues(best, value)
    if (order instanceof Failure) return undefined
    if (name === 'min' ? order > 0 : order < 0) best = value
    return undefined
  })
  return failure ?? best ?? new Failure(`${name} called on empty list`)
}

function placeOf(values: CelList, wanted: CelValue, last: boolean, run: Run): Result {
  run.work(values.size)
  for (let step = 0; step < values.size; step++) {
    const at = last ? values.size - 1 - step : step
    const value = values.at(at)
    if (!(value instanceof Failure) && equal(value, wanted, run) === true) return BigInt(at)
  }
  return -1n
}

function slice(values: CelList, start: bigint, end: bigint): Result {
  const call = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return new Failure(`${call}, negative indexes not supported`)
  if (start > end) return new Failure(`${call}, start index must be less than or equal to end index`)
  if (BigInt(values.size) < end) return new Failure(`${call}, list is length ${values.size}`)
  const from = Number(start)
  return new CelList(Array.from({ length: Number(end) - from }, (_, at) => values.at(from + at)))
}

function flatten(values: CelList, depth: bigint, run: Run): readonly Result[] {
  run.work(values.size * 4)
  return values
    .values()
    .flatMap((value) => (value instanceof CelList && depth > 0n ? flatten(value, depth - 1n, run) : [value]))
}

function range(count: bigint, run: Run): Result {
  if (count <= 0n) return CelList.empty
  // Its cost goes by the size of the result, and so comes after it is made.
  run.work(Number(count) * 10)
  return new CelList(Array.from({ length: Number(count) }, (_, at) => BigInt(at)))
}

/** How often a member is looked at while a list is sorted. */
const SORT_WORK = 16

/** The members in the order of their keys. */
function sortBy(values: CelList, keys: CelList, run: Run): Result {
  if (values.size !== keys.size) {
    const sizes = `${values.size} and ${keys.size} elements respectively`
    return new Failure(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    )
  }
  const sortable: { readonly key: CelValue; readonly value: Result }[] = []
  let first: string | undefined
  let at = 0
  run.work(keys.size * SORT_WORK)
  const failure = eachValue(keys, run, (key) => {
    const type = typeOfValue(key).name
    first ??= type
    if (type !== first) return new Failure('list elements must have the same type')
    const comparable = compareValues(key, key)
    if (comparable instanceof Failure && comparable.message === 'no such overload') {
      return new Failure('list elements must be comparable')
    }
    run.work(extentOf(key) * SORT_WORK)
    sortable.push({ key, value: values.at(at++) })
    return undefined
  })
  if (failure !== undefined) return failure
  const sorted = sortable.toSorted((left, right) => {
    const order = compareValues(left.key, right.key)
    return order instanceof Failure ? 0 : order
  })
  return new CelList(sorted.map(({ value }) => value))
}

function distinct(values: CelList, run: Run): Result {
  const kept: Result[] = []
  const failure = eachValue(values, run, (value) => {
    run.work(kept.length)
    if (!kept.some((one) => !(one instanceof Failure) && equal(value, one, run) === true)) kept.push(value)
    return undefined
  })
  return failure ?? new CelList(kept)
}

const optionalAt = (values: CelList, at: number): Result => {
  if (values.size === 0) return CelOptional.none
  const value = values.at(at)
  return value instanceof Failure ? value : CelOptional.of(value)
}

/** The functions of lists: Kubernetes' own, and cel-go's extension in version 3. */
export const lists: Library = [
  [
    'isSorted',
    forTypes(SORTABLE, (type, name) =>
      member(`list_${name}_is_sorted_bool`, [list(type)], BOOL, ([values], run) => isSorted(values, run)),
    ),
  ],
  [
    'sum',
    forTypes([INT, UINT, DOUBLE, DURATION], (type, name) =>
      member(`list_${name}_sum_${name}`, [list(type)], type, ([values], run) => sum(values, name, run)),
    ),
  ],
  [
    'min',
    forTypes(SORTABLE, (type, name) =>
      member(`list_${name}_min_${name}`, [list(type)], type, ([values], run) => extreme(values, 'min', run)),
    ),
  ],
  [
    'max',
    forTypes(SORTABLE, (type, name) =>
      member(`list_${name}_max_${name}`, [list(type)], type, ([values], run) => extreme(values, 'max', run)),
    ),
  ],
  [
    'indexOf',
    [member('list_a_index_of_int', [list(A), any(A)], INT, ([values, one], run) => placeOf(values, one, false, run))],
  ],
  [
    'lastIndexOf',
    [
      member('list_a_last_index_of_int', [list(A), any(A)], INT, ([values, one], run) =>
        placeOf(values, one, true, run),
      ),
    ],
  ],
  [
    'slice',
    [member('list_slice', [list(A), int, int], listOf(A), ([values, start, end]) => slice(values, start, end))],
  ],
  [
    'flatten',
    [
      member('list_flatten', [list(listOf(A))], listOf(A), ([values], run) => new CelList(flatten(values, 1n, run))),
      member('list_flatten_int', [list(DYN), int], listOf(DYN), ([values, depth], run) =>
        depth < 0n ? new Failure('level must be non-negative') : new CelList(flatten(values, depth, run)),
      ),
    ],
  ],
  ['lists.range', [free('lists_range', [int], listOf(INT), ([count], run) => range(count, run))]],
  ['reverse', [member('list_reverse', [list(A)], listOf(A), ([values]) => new CelList(values.values().toReversed()))]],
  ['distinct', [member('list_distinct', [list(A)], listOf(A), ([values], run) => distinct(values, run))]],
  [
    'sort',
    forTypes(SORTABLE, (type, name) =>
      member(`list_${name}_sort`, [list(type)], listOf(type), ([values], run) => sortBy(values, values, run)),
    ),
  ],
  [
    '@sortByAssociatedKeys',
    forTypes(SORTABLE, (type, name) =>
      member(`list_${name}_sortByAssociatedKeys`, [list(A), list(type)], listOf(A), ([values, keys], run) =>
        sortBy(values, keys, run),
      ),
    ),
  ],
  ['first', [member('list_first', [list(A)], optionalOf(A), ([values]) => optionalAt(values, 0))]],
  ['last', [member('list_last', [list(A)], optionalOf(A), ([values]) => optionalAt(values, values.size - 1))]],
]
