import type { Library } from './declaration.ts'
import {
  any,
  bool,
  bytes,
  double,
  duration,
  free,
  int,
  list,
  map,
  member,
  text,
  timestamp,
  uint,
} from './declaration.ts'
import { CelList, CelMap, type Result } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, UINT, param, typeOf } from '../types/cel-type.ts'
import {
  CelDuration,
  CelUint,
  Failure,
  checkedInt,
  checkedTimestamp,
  checkedUint,
  codePoints,
} from '../types/scalar.ts'
import type { CelTimestamp } from '../types/scalar.ts'
import { decodeUtf8, encodeUtf8 } from './encoding.ts'
import { formatDouble, parseDouble } from './number-text.ts'
import { SECOND, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time-text.ts'
import { typeOfValue } from '../types/value-type.ts'

const A = param('A')
const B = param('B')

const cannot = (from: string, to: string): Failure => new Failure(`type conversion error from '${from}' to '${to}'`)

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function toBool(value: string): Result {
  if (TRUE.has(value)) return true
  return FALSE.has(value) ? false : cannot('string', 'bool')
}

/** Not more digits than a number of 64 bits can need, but for zeros that nobody writes. */
const INTEGER = /^[+-]?\d{1,40}$/

function stringToInt(value: string): Result {
  const number = INTEGER.test(value) ? checkedInt(BigInt(value.replace(/^\+/, ''))) : undefined
  return typeof number === 'bigint' ? number : cannot('string', 'int')
}

function stringToUint(value: string): Result {
  const number = /^\d{1,40}$/.test(value) ? checkedUint(BigInt(value)) : undefined
  return number instanceof CelUint ? number : cannot('string', 'uint')
}

const EDGE = 2 ** 63

function doubleToInt(value: number): Result {
  // A value at the very edge is refused too, as a double near it stands for a range that goes beyond.
  return value > -EDGE && value < EDGE ? BigInt(Math.trunc(value)) : new Failure('integer overflow')
}

function doubleToUint(value: number): Result {
  return value >= 0 && value < 2 ** 64
    ? new CelUint(BigInt(Math.trunc(value)))
    : new Failure('unsigned integer overflow')
}

/** The seconds since 1970, rounded down. */
const secondsOf = ({ nanos }: CelTimestamp): bigint => (nanos < 0n ? (nanos - SECOND + 1n) / SECOND : nanos / SECOND)

/** The value, after the work of going through it is paid for: its cost is the same whatever its length. */
function paid<T extends string | Uint8Array>(value: T, run: Run): T {
  run.work(value.length / 20)
  return value
}

const size = [
  free('size_bytes', [bytes], INT, ([value]) => BigInt(value.length)),
  member('bytes_size', [bytes], INT, ([value]) => BigInt(value.length)),
  free('size_list', [list(A)], INT, ([value]) => BigInt(value.size)),
  member('list_size', [list(A)], INT, ([value]) => BigInt(value.size)),
  free('size_map', [map(A, B)], INT, ([value]) => BigInt(value.size)),
  member('map_size', [map(A, B)], INT, ([value]) => BigInt(value.size)),
  free('size_string', [text], INT, ([value], run) => BigInt(codePoints(paid(value, run)))),
  member('string_size', [text], INT, ([value], run) => BigInt(codePoints(paid(value, run)))),
]

/** `size`, `type`, `dyn` and the conversions of the language's own types. */
export const conversions: Library = [
  ['size', size],
  ['type', [free('type', [any(A)], typeOf(A), ([value]) => typeOfValue(value))]],
  ['dyn', [free('to_dyn', [any(A)], DYN, ([value]) => value)]],
  [
    'bool',
    [
      free('bool_to_bool', [bool], BOOL, ([value]) => value),
      free('string_to_bool', [text], BOOL, ([value]) => toBool(value)),
    ],
  ],
  [
    'bytes',
    [
      free('bytes_to_bytes', [bytes], BYTES, ([value]) => value),
      free('string_to_bytes', [text], BYTES, ([value], run) => encodeUtf8(paid(value, run))),
    ],
  ],
  [
    'double',
    [
      free('double_to_double', [double], DOUBLE, ([value]) => value),
      free('int64_to_double', [int], DOUBLE, ([value]) => Number(value)),
      free(
        'string_to_double',
        [text],
        DOUBLE,
        ([value], run) => parseDouble(paid(value, run)) ?? cannot('string', 'double'),
      ),
      free('uint64_to_double', [uint], DOUBLE, ([{ value }]) => Number(value)),
    ],
  ],
  [
    'duration',
    [
      free('duration_to_duration', [duration], DURATION, ([value]) => value),
      free('int64_to_duration', [int], DURATION, ([value]) => new CelDuration(value)),
      free(
        'string_to_duration',
        [text],
        DURATION,
        ([value]) => parseDuration(value) ?? cannot('string', 'google.protobuf.Duration'),
      ),
    ],
  ],
  [
    'int',
    [
      free('int64_to_int64', [int], INT, ([value]) => value),
      free('double_to_int64', [double], INT, ([value]) => doubleToInt(value)),
      free('duration_to_int64', [duration], INT, ([{ nanos }]) => nanos),
      free('string_to_int64', [text], INT, ([value]) => stringToInt(value)),
      free('timestamp_to_int64', [timestamp], INT, ([value]) => secondsOf(value)),
      free('uint64_to_int64', [uint], INT, ([{ value }]) => checkedInt(value)),
    ],
  ],
  [
    'string',
    [
      free('string_to_string', [text], STRING, ([value]) => value),
      free('bool_to_string', [bool], STRING, ([value]) => String(value)),
      free(
        'bytes_to_string',
        [bytes],
        STRING,
        ([value], run) =>
          decodeUtf8(paid(value, run)) ?? new Failure('invalid UTF-8 in bytes, cannot convert to string'),
      ),
      free('double_to_string', [double], STRING, ([value]) => formatDouble(value, 6)),
      free('duration_to_string', [duration], STRING, ([value]) => formatDuration(value)),
      free('int64_to_string', [int], STRING, ([value]) => String(value)),
      free('timestamp_to_string', [timestamp], STRING, ([value]) => formatTimestamp(value)),
      free('uint64_to_string', [uint], STRING, ([{ value }]) => String(value)),
    ],
  ],
  [
    'timestamp',
    [
      free('timestamp_to_timestamp', [timestamp], TIMESTAMP, ([value]) => value),
      free('int64_to_timestamp', [int], TIMESTAMP, ([value]) => checkedTimestamp(value * SECOND)),
      free(
        'string_to_timestamp',
        [text],
        TIMESTAMP,
        ([value]) => parseTimestamp(value) ?? cannot('string', 'google.protobuf.Timestamp'),
      ),
    ],
  ],
  [
    'uint',
    [
      free('uint64_to_uint64', [uint], UINT, ([value]) => value),
      free('double_to_uint64', [double], UINT, ([value]) => doubleToUint(value)),
      free('int64_to_uint64', [int], UINT, ([value]) => checkedUint(value)),
      free('string_to_uint64', [text], UINT, ([value]) => stringToUint(value)),
    ],
  ],
]

/** How many members, characters or bytes a value has; 1 for what has no size. Costs go by it. */
export function sizeOf(value: Result): number {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof CelList || value instanceof CelMap) return value.size
  return value instanceof Uint8Array ? value.length : 1
}
