// Which lines of sources ran: what V8 recorded of processes, joined with what the test runner recorded of its own.

/** A part of a function as V8 records it: offsets in UTF-16 units, and how often it ran. Parts within it have ranges of their own, after it. */
export interface CoverageRange {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/** One script in the file that Node writes when a process ends that has NODE_V8_COVERAGE. */
export interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly CoverageRange[] }[]
}

/** Offsets from the first, which is included, to the second, which is not. */
export type Interval = readonly [start: number, end: number]

interface Position {
  readonly line: number
  readonly column: number
}

/** A file in the form of Istanbul, which the test runner writes. Lines count from one, columns from zero. */
export interface FileCoverage {
  readonly path: string
  readonly statementMap: Readonly<Record<string, { readonly start: Position }>>
  readonly s: Readonly<Record<string, number>>
}

export interface LineCount {
  readonly lines: number
  readonly covered: number
}

/** Returns the parts of a script that did not run, in order. */
export function unranIntervals({ functions }: Pick<ScriptCoverage, 'functions'>): readonly Interval[] {
  const ranges = functions.flatMap((one) => one.ranges)
  // The innermost range that holds an offset says whether it ran: an outer one begins earlier, or ends later.
  const ordered = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const found: Interval[] = []
  const open: CoverageRange[] = []
  let at = 0
  const upTo = (offset: number): void => {
    const inner = open.at(-1)
    if (inner?.count === 0 && offset > at) append(found, [at, offset])
    at = Math.max(at, offset)
  }
  const close = (offset: number): void => {
    for (let inner = open.at(-1); inner !== undefined && inner.endOffset <= offset; inner = open.at(-1)) {
      upTo(inner.endOffset)
      open.pop()
    }
  }
  for (const range of ordered) {
    close(range.startOffset)
    upTo(range.startOffset)
    open.push(range)
  }
  close(Infinity)
  return found
}

function append(intervals: Interval[], [start, end]: Interval): void {
  const last = intervals.at(-1)
  if (last?.[1] === start) intervals[intervals.length - 1] = [last[0], end]
  else intervals.push([start, end])
}

/** Returns the offsets that are in both; each list is in order and without overlaps. */
export function inBoth(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  const found: Interval[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [first, second] = [a[i], b[j]]
    if (first === undefined || second === undefined) break
    const start = Math.max(first[0], second[0])
    const end = Math.min(first[1], second[1])
    if (start < end) found.push([start, end])
    if (first[1] < second[1]) i++
    else j++
  }
  return found
}

/**
 * Counts the lines of a file on which a statement begins, and those of them that ran: in the test runner, or in a process. `unran`: the
 * parts of the source that ran in no process; undefined where no process loaded it.
 */
export function countLinesRan(
  { statementMap, s: counts }: FileCoverage,
  source: string,
  unran: readonly Interval[] | undefined,
): LineCount {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  const ran = new Map<number, boolean>()
  for (const [key, { start }] of Object.entries(statementMap)) {
    const offset = (starts[start.line - 1] ?? 0) + start.column
    const inProcess = unran !== undefined && !unran.some(([from, to]) => from <= offset && offset < to)
    ran.set(start.line, ran.get(start.line) === true || inProcess || (counts[key] ?? 0) > 0)
  }
  return { lines: ran.size, covered: [...ran.values()].filter(Boolean).length }
}
