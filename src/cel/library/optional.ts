import type { Library } from './declaration.ts'
import { any, free, list, member, optional } from './declaration.ts'
import { CelList, CelMap, CelOptional, type CelValue, type Result } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import { BOOL, listOf, optionalOf, param } from '../types/cel-type.ts'
import { CelDuration, CelTimestamp, CelUint, Failure } from '../types/scalar.ts'

const V = param('V')

/** Is it nothing, 0, or without members? */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof CelDuration) return value.nanos === 0n
  // Go's zero time is the first moment of the year 1.
  if (value instanceof CelTimestamp) return value.nanos === -62_135_596_800_000_000_000n
  return value instanceof CelOptional && value.value === undefined
}

function unwrap(values: CelList, run: Run): Result {
  run.work(values.size)
  const held: CelValue[] = []
  for (const value of values.values()) {
    if (value instanceof Failure) return value
    if (!(value instanceof CelOptional)) return new Failure('value is not an optional')
    if (value.value !== undefined) held.push(value.value)
  }
  return new CelList(held)
}

/** The functions of optionals; `or` and `orValue`, which need not look at their argument, are the planner's. */
export const optionals: Library = [
  ['optional.of', [free('optional_of', [any(V)], optionalOf(V), ([value]) => CelOptional.of(value))]],
  [
    'optional.ofNonZeroValue',
    [
      free('optional_ofNonZeroValue', [any(V)], optionalOf(V), ([value]) =>
        isZero(value) ? CelOptional.none : CelOptional.of(value),
      ),
    ],
  ],
  ['optional.none', [free('optional_none', [], optionalOf(V), () => CelOptional.none)]],
  [
    'value',
    [
      member('optional_value', [optional(V)], V, ([{ value }]) =>
        value === undefined ? new Failure('optional.none() dereference') : value,
      ),
    ],
  ],
  ['hasValue', [member('optional_hasValue', [optional(V)], BOOL, ([{ value }]) => value !== undefined)]],
  [
    'optional.unwrap',
    [free('optional_unwrap', [list(optionalOf(V))], listOf(V), ([values], run) => unwrap(values, run))],
  ],
  [
    'unwrapOpt',
    [member('optional_unwrapOpt', [list(optionalOf(V))], listOf(V), ([values], run) => unwrap(values, run))],
  ],
]
