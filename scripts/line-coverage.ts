// Which lines of sources ran: what V8 recorded of processes, joined with what the test runner recorded of its own.

/** One script in the file that Node writes when a process ends that has NODE_V8_COVERAGE. Offsets are in UTF-16 units. */
export interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

/** A file in the form of Istanbul, which the test runner writes. Lines count from one, columns from zero. */
export interface FileCoverage {
  readonly path: string
  readonly statementMap: Readonly<
    Record<string, { readonly start: { readonly line: number; readonly column: number } }>
  >
  readonly s: Readonly<Record<string, number>>
}

export interface LineCount {
  readonly lines: number
  readonly covered: number
}

/** Returns for each offset of a script whether it ran: 1 or 0. */
export function ranAt({ functions }: Pick<ScriptCoverage, 'functions'>, length: number): Uint8Array {
  const ran = new Uint8Array(length)
  // The innermost range that holds an offset says whether it ran, so it is written last.
  const ranges = functions
    .flatMap((one) => one.ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { startOffset, endOffset, count } of ranges) ran.fill(Math.min(count, 1), startOffset, endOffset)
  return ran
}

/** Counts the lines of a file on which a statement begins, and those of them that ran: in the test runner, or in a process (`ran`). */
export function countLinesRan(
  { statementMap, s: counts }: FileCoverage,
  source: string,
  ran: Uint8Array | undefined,
): LineCount {
  const begins = [0, ...source.matchAll(/\n/g).map(({ index }) => index + 1)]
  const lines = new Map<number, boolean>()
  for (const [key, { start }] of Object.entries(statementMap)) {
    const inProcess = ran?.[(begins[start.line - 1] ?? 0) + start.column] === 1
    lines.set(start.line, lines.get(start.line) === true || inProcess || (counts[key] ?? 0) > 0)
  }
  return { lines: lines.size, covered: [...lines.values()].filter(Boolean).length }
}
