import { compileError } from '../types/error.ts'
import type { Complaint } from '../types/error.ts'
import type { CheckedExpression } from './check-expression.ts'
import { CLAUSES, parsePattern } from '../library/format-text.ts'
import { compilePattern } from '../library/regex-pattern.ts'
import { SECOND, parseDuration, parseTimestamp } from '../library/time-text.ts'
import { childrenOf } from '../parser/syntax.ts'
import type { Run } from '../types/run-budget.ts'
import type { CallExpr, Expr } from '../parser/syntax.ts'
import type { CelType } from '../types/cel-type.ts'
import { formatType, optionalValue, sameType, typeName } from '../types/cel-type.ts'
import { checkedTimestamp, Failure } from '../types/scalar.ts'

/**
 * Looks at literals as Kubernetes has it done beyond types: the arguments of `matches`, `duration` and `timestamp`,
 * patterns of `format`, and lists and maps of mixed types. Throws `CelCompileError`, and `CostExceeded` when there are
 * too many regular expressions to compile.
 */
export function checkLiterals(checked: CheckedExpression, run: Run): void {
  const complaints: Complaint[] = []
  const visit = (expr: Expr, inFormat: boolean): void => {
    if (expr.kind === 'call') checkCall(checked, expr, complaints, run)
    if (!inFormat) checkMixed(checked, expr, complaints)
    const within = inFormat || (expr.kind === 'call' && expr.name === 'format')
    for (const child of childrenOf(expr)) visit(child, within)
  }
  visit(checked.root, false)
  if (complaints.length > 0) throw compileError(checked.source, complaints)
}

function checkCall(checked: CheckedExpression, expr: CallExpr, complaints: Complaint[], run: Run): void {
  const [arg] = expr.args
  if (expr.name === 'format' && expr.target !== undefined) checkFormat(checked, expr, complaints)
  if (arg?.kind !== 'literal') return
  if (!isValid(expr.name, arg.value, run))
    complaints.push({ offset: arg.offset, message: `invalid ${expr.name} argument` })
}

function isValid(name: string, value: unknown, run: Run): boolean {
  switch (name) {
    case 'matches':
      return typeof value !== 'string' || !(compilePattern(value, run) instanceof Failure)
    case 'duration':
      return typeof value !== 'string' || parseDuration(value) !== undefined
    case 'timestamp':
      if (typeof value === 'bigint') return !(checkedTimestamp(value * SECOND) instanceof Failure)
      return typeof value !== 'string' || parseTimestamp(value) !== undefined
    default:
      return true
  }
}

function checkMixed(checked: CheckedExpression, expr: Expr, complaints: Complaint[]): void {
  const typeAt = (part: Expr, optional: boolean): CelType => {
    const type = checked.typeOf(part)
    return optional ? (optionalValue(type) ?? type) : type
  }
  /** Complains about the first that differs from the one before all. */
  const compare = (parts: readonly { readonly value: Expr; readonly optional: boolean }[], all: boolean): void => {
    const [first, ...rest] = parts
    if (first === undefined) return
    const expected = typeAt(first.value, first.optional)
    for (const { value, optional } of rest) {
      const found = typeAt(value, optional)
      if (sameType(expected, found)) continue
      const message = `expected type '${formatType(expected)}' but found '${formatType(found)}'`
      complaints.push({ offset: value.offset, message })
      if (!all) return
    }
  }
  if (expr.kind === 'list') compare(expr.elements, false)
  if (expr.kind !== 'map') return
  compare(
    expr.entries.map(({ key }) => ({ value: key, optional: false })),
    true,
  )
  compare(expr.entries, true)
}

function checkFormat(checked: CheckedExpression, expr: CallExpr, complaints: Complaint[]): void {
  const { target, args, offset } = expr
  const [list] = args
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list' || args.length !== 1)
    return
  const parsed = parsePattern(target.value, list.elements.length)
  if (parsed instanceof Failure) {
    complaints.push({ offset, message: parsed.message })
    return
  }
  for (const [at, { letter }] of parsed.clauses.entries()) {
    const arg = list.elements[at]?.value
    const clause = CLAUSES[letter]
    if (arg === undefined || clause === undefined) continue
    const bad = badArgument(checked, arg, clause.kinds, letter === 's')
    if (bad === undefined) continue
    const message = `error during formatting: ${clause.refusal}${typeName(checked.typeOf(bad))}`
    complaints.push({ offset: bad.offset, message })
    return
  }
  const expected = parsed.clauses.length
  if (expected < list.elements.length) {
    const counts = `(expected ${expected}, got ${list.elements.length})`
    complaints.push({ offset, message: `too many arguments supplied to string.format ${counts}` })
  }
}

/** The argument, or the part of a literal, whose type a clause does not take. */
function badArgument(
  checked: CheckedExpression,
  arg: Expr,
  kinds: readonly string[],
  nested: boolean,
): Expr | undefined {
  const { kind } = checked.typeOf(arg)
  if (kind !== 'dyn' && !kinds.includes(kind)) return arg
  if (!nested || (arg.kind !== 'list' && arg.kind !== 'map')) return undefined
  for (const part of childrenOf(arg)) {
    const bad = badArgument(checked, part, kinds, nested)
    if (bad !== undefined) return bad
  }
  return undefined
}
