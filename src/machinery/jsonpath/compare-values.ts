import { byCodePoint } from './code-point-order.ts'
import { kindOf, numberOf } from './json-kind.ts'

/** The answer of a comparison, or why there is none (client-go's text). */
export type ComparisonResult = { readonly holds: boolean } | { readonly failure: string }

const INVALID: ComparisonResult = { failure: 'invalid type for comparison' }
const INCOMPATIBLE: ComparisonResult = { failure: 'incompatible types for comparison' }

const SCALARS: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'string'])

const TESTS: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/**
 * `left operator right` as text/template compares: only scalars of one kind, integers and floats being two kinds, and
 * booleans only for equality.
 */
export function compare(left: unknown, operator: string, right: unknown): ComparisonResult {
  const test = TESTS[operator]
  if (test === undefined) return { failure: `unrecognized filter operator ${operator}` }
  const kind = kindOf(left)
  const other = kindOf(right)
  if (!SCALARS.has(kind) || !SCALARS.has(other)) return INVALID
  if (kind !== other) return INCOMPATIBLE
  if (kind === 'bool') {
    return operator === '==' || operator === '!=' ? { holds: test(left === right ? 0 : 1) } : INVALID
  }
  return { holds: test(typeof left === 'string' ? byCodePoint(left, String(right)) : byValue(left, right)) }
}

function byValue(left: unknown, right: unknown): number {
  const a = numberOf(left)
  const b = numberOf(right)
  if (a < b) return -1
  return a > b ? 1 : 0
}
