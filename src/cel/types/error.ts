/** One complaint about an expression; `line` counts from 1, `column` code points from 1. */
export interface CelIssue {
  readonly line: number
  readonly column: number
  readonly message: string
}

/**
 * An expression that does not compile. The message is cel-go's: for each complaint `ERROR: <input>:1:3: …`, the line
 * and a pointer. `phase` is for callers that word it as Kubernetes does: `compile` for syntax and types,
 * `program` for a constant that cannot be converted and for the guards of ours.
 */
export class CelCompileError extends Error {
  readonly issues: readonly CelIssue[]
  readonly phase: 'compile' | 'program'

  constructor(message: string, issues: readonly CelIssue[], phase: 'compile' | 'program' = 'compile') {
    super(message)
    this.name = 'CelCompileError'
    this.issues = issues
    this.phase = phase
  }
}

/**
 * An evaluation that failed. The message is cel-go's (`no such key: x`, `integer overflow`). `cancelled` is set when
 * it was the cost limit, which no `||` absorbs.
 */
export class CelRuntimeError extends Error {
  readonly cancelled: boolean

  constructor(message: string, cancelled = false) {
    super(message)
    this.name = 'CelRuntimeError'
    this.cancelled = cancelled
  }
}

/** Thrown inside an evaluation that has used up its budget; `evaluate` turns it into a `CelRuntimeError`. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CostExceeded'
  }
}

/** A complaint with the place in the source that it is about, in UTF-16 units. */
export interface Complaint {
  readonly offset: number
  readonly message: string
}

const MAX_REPORTED = 100

/** The error for complaints in the order in which they were found; they are printed from the first line on. */
export function compileError(source: string, complaints: readonly Complaint[]): CelCompileError {
  const lines = source.split('\n')
  const issues = complaints
    .slice(0, MAX_REPORTED)
    .map(({ offset, message }) => ({ ...placeOf(source, offset), message }))
  issues.sort((a, b) => a.line - b.line || a.column - b.column)
  const texts = issues.map((issue) => display(issue, lines[issue.line - 1] ?? ''))
  const left = complaints.length - issues.length
  if (left > 0) texts.push(`${left} more errors were truncated`)
  return new CelCompileError(texts.join('\n'), issues)
}

function placeOf(source: string, offset: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: Array.from(before.slice(start)).length + 1 }
}

// A pointer longer than this helps nobody, and a source of one long line would be printed once for each complaint.
const MAX_LINE = 2000

function display({ line, column, message }: CelIssue, text: string): string {
  const head = `ERROR: <input>:${line}:${column}: ${message}`
  if (text.length > MAX_LINE) return head
  const characters = Array.from(text.replaceAll('\t', ' '))
  const dots = characters.slice(0, column - 1).map((one) => (one.length > 1 || one > '\u007f' ? '．' : '.'))
  const at = characters[column - 1]
  const pointer = at !== undefined && (at.length > 1 || at > '\u007f') ? '＾' : '^'
  return `${head}\n | ${characters.join('')}\n | ${dots.join('')}${pointer}`
}
