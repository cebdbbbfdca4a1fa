import type { Library } from './declaration.ts'
import { int, member, text } from './declaration.ts'
import { CelList } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import { BOOL, STRING, listOf } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import { compilePattern } from './regex-pattern.ts'
import type { CelPattern } from './regex-pattern.ts'

/** A function with a regular expression. The planner compiles one that is a constant once. */
export interface PatternFunction {
  readonly prefix: string
  readonly apply: (pattern: CelPattern, text: string, limit: bigint, run: Run) => Result
}

const INT32 = 2n ** 31n

/** By overload. */
export const PATTERN_FUNCTIONS: { readonly [overload: string]: PatternFunction } = {
  matches_string: { prefix: '', apply: (pattern, value, _, run) => pattern.test(value, run) },
  string_find_string: { prefix: 'Illegal regex: ', apply: (pattern, value, _, run) => pattern.find(value, run) },
  string_find_all_string: {
    prefix: 'Illegal regex: ',
    apply: (pattern, value, _, run) => new CelList(pattern.findAll(value, -1, run)),
  },
  string_find_all_string_int: {
    prefix: 'Illegal regex: ',
    apply: (pattern, value, limit, run) =>
      new CelList(pattern.findAll(value, Number(limit > INT32 ? -1n : limit), run)),
  },
}

function apply(overload: string, value: string, source: string, limit: bigint, run: Run): Result {
  const found = PATTERN_FUNCTIONS[overload]
  const pattern = compilePattern(source, run)
  if (pattern instanceof Failure) return new Failure(`${found?.prefix ?? ''}${pattern.message}`)
  return found?.apply(pattern, value, limit, run) ?? null
}

/** `matches`, `find` and `findAll`. */
export const regexes: Library = [
  [
    'matches',
    [
      member('matches_string', [text, text], BOOL, ([value, source], run) =>
        apply('matches_string', value, source, 0n, run),
      ),
    ],
  ],
  [
    'find',
    [
      member('string_find_string', [text, text], STRING, ([value, source], run) =>
        apply('string_find_string', value, source, 0n, run),
      ),
    ],
  ],
  [
    'findAll',
    [
      member('string_find_all_string', [text, text], listOf(STRING), ([value, source], run) =>
        apply('string_find_all_string', value, source, -1n, run),
      ),
      member('string_find_all_string_int', [text, text, int], listOf(STRING), ([value, source, limit], run) =>
        apply('string_find_all_string_int', value, source, limit, run),
      ),
    ],
  ],
]
