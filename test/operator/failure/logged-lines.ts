/** A line of a log. */
export type LoggedLine = Readonly<Record<string, unknown>>

/** The whole lines of a log. */
export const loggedLines = (logs: string): readonly LoggedLine[] =>
  logs
    .split('\n')
    .slice(0, -1)
    .map((line): LoggedLine => JSON.parse(line))

/** Those that quote the program where an operator wants a sentence. */
export const linesWithStacks = (logs: string): readonly string[] =>
  logs.split('\n').filter((line) => line.includes('"stack":') || /\\n +at /.test(line))
