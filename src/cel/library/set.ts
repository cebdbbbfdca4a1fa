import type { Library } from './declaration.ts'
import { free, list } from './declaration.ts'
import { contains } from '../types/equal.ts'
import type { CelList, Result } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import { BOOL, param } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'

const A = param('A')

function containsAll(all: CelList, part: CelList, run: Run): Result {
  for (const value of part.values()) {
    if (value instanceof Failure) return value
    const found = contains(all, value, run)
    if (found !== true) return found
  }
  return true
}

function intersects(left: CelList, right: CelList, run: Run): Result {
  return left.values().some((value) => !(value instanceof Failure) && contains(right, value, run) === true)
}

/** `sets.`: lists seen as sets. */
export const sets: Library = [
  [
    'sets.contains',
    [free('list_sets_contains_list', [list(A), list(A)], BOOL, ([all, part], run) => containsAll(all, part, run))],
  ],
  [
    'sets.equivalent',
    [
      free('list_sets_equivalent_list', [list(A), list(A)], BOOL, ([left, right], run) => {
        const one = containsAll(left, right, run)
        return one === true ? containsAll(right, left, run) : one
      }),
    ],
  ],
  [
    'sets.intersects',
    [free('list_sets_intersects_list', [list(A), list(A)], BOOL, ([left, right], run) => intersects(left, right, run))],
  ],
]
