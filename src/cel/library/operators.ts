import type { Library, Overload } from './declaration.ts'
import { operator } from './declaration.ts'
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
  mapOf,
  optionalOf,
  param,
} from '../types/cel-type.ts'

const A = param('A')
const B = param('B')
const LIST = listOf(A)
const MAP = mapOf(A, B)

const same = (name: string, ...types: readonly CelType[]): readonly Overload[] =>
  types.map((type) => operator(`${name}_${formatType(type)}`, [type, type], type))

const NUMBERS = [INT, UINT, DOUBLE]
const ORDERED: readonly (readonly [CelType, CelType])[] = [
  [BOOL, BOOL],
  ...NUMBERS.flatMap((left) => NUMBERS.map((right) => [left, right] as const)),
  [STRING, STRING],
  [BYTES, BYTES],
  [TIMESTAMP, TIMESTAMP],
  [DURATION, DURATION],
]

const relation = (name: string): readonly Overload[] =>
  ORDERED.map(([left, right]) => {
    const kind = left === right ? left.kind : `${left.kind}_${right.kind}`
    return operator(`${name}_${kind}`, [left, right], BOOL)
  })

/** The operators of the language; the planner evaluates them. */
export const operators: Library = [
  ['_?_:_', [operator('conditional', [BOOL, A, A], A)]],
  ['_&&_', [operator('logical_and', [BOOL, BOOL], BOOL)]],
  ['_||_', [operator('logical_or', [BOOL, BOOL], BOOL)]],
  ['!_', [operator('logical_not', [BOOL], BOOL)]],
  ['@not_strictly_false', [operator('not_strictly_false', [BOOL], BOOL)]],
  ['_==_', [operator('equals', [A, A], BOOL)]],
  ['_!=_', [operator('not_equals', [A, A], BOOL)]],
  [
    '_+_',
    [
      ...same('add', BYTES, DOUBLE, DURATION),
      operator('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP),
      operator('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
      ...same('add', INT),
      operator('add_list', [LIST, LIST], LIST),
      ...same('add', STRING, UINT),
    ],
  ],
  [
    '_-_',
    [
      ...same('subtract', DOUBLE, DURATION, INT),
      operator('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
      operator('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION),
      ...same('subtract', UINT),
    ],
  ],
  ['_*_', same('multiply', DOUBLE, INT, UINT)],
  ['_/_', same('divide', DOUBLE, INT, UINT)],
  ['_%_', same('modulo', INT, UINT)],
  ['-_', [operator('negate_double', [DOUBLE], DOUBLE), operator('negate_int64', [INT], INT)]],
  ['_<_', relation('less')],
  ['_<=_', relation('less_equals')],
  ['_>_', relation('greater')],
  ['_>=_', relation('greater_equals')],
  [
    '_[_]',
    [
      operator('index_list', [LIST, INT], A),
      operator('index_map', [MAP, A], B),
      operator('optional_list_index_int', [optionalOf(LIST), INT], optionalOf(A)),
      operator('optional_map_index_value', [optionalOf(MAP), A], optionalOf(B)),
    ],
  ],
  [
    '_[?_]',
    [
      operator('list_optindex_optional_int', [LIST, INT], optionalOf(A)),
      operator('optional_list_optindex_optional_int', [optionalOf(LIST), INT], optionalOf(A)),
      operator('map_optindex_optional_value', [MAP, A], optionalOf(B)),
      operator('optional_map_optindex_optional_value', [optionalOf(MAP), A], optionalOf(B)),
    ],
  ],
  ['_?._', [operator('select_optional_field', [DYN, STRING], optionalOf(A))]],
  ['@in', [operator('in_list', [A, LIST], BOOL), operator('in_map', [A, MAP], BOOL)]],
  ['or', [operator('optional_or_optional', [optionalOf(A), optionalOf(A)], optionalOf(A), true)]],
  ['orValue', [operator('optional_orValue_value', [optionalOf(A), A], A, true)]],
  [
    'cel.@mapInsert',
    [operator('@mapInsert_map_key_value', [MAP, A, B], MAP), operator('@mapInsert_map_map', [MAP, MAP], MAP)],
  ],
]
