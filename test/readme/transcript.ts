/** One command of a document and what it prints. */
export interface Step {
  readonly command: string
  /** As written, without a last newline; empty when nothing is shown. */
  readonly output: string
  /** Line of the command in its document, from 1. */
  readonly line: number
}

/**
 * The steps of all blocks that are fenced as `console`, in their order: a line that begins with `$ ` is a command, what
 * follows up to the next one is its output. A command goes on where a line ends with a backslash, and to the end of its
 * here-document.
 */
export function steps(document: string): readonly Step[] {
  const found: { command: string; output: string[]; line: number }[] = []
  let inside = false
  let unfinished: Unfinished = () => false
  for (const [index, text] of document.split('\n').entries()) {
    const last = found.at(-1)
    if (text.startsWith('```')) {
      inside = text === '```console'
      unfinished = () => false
    } else if (!inside) continue
    else if (last !== undefined && unfinished(last.command)) last.command += `\n${text}`
    else if (text.startsWith('$ ')) {
      found.push({ command: text.slice(2), output: [], line: index + 1 })
      unfinished = unfinishedBy(text)
    } else if (last === undefined) throw new Error(`line ${index + 1}: output without a command`)
    else last.output.push(text)
  }
  return found.map(({ output, ...step }) => ({ ...step, output: output.join('\n') }))
}

type Unfinished = (command: string) => boolean

/** Says whether a command that begins with this line goes on after what there is of it. */
export function unfinishedBy(first: string): Unfinished {
  const end = /<<'?(\w+)'?/.exec(first)?.[1]
  return end === undefined ? (command) => command.endsWith('\\') : (command) => !command.endsWith(`\n${end}`)
}

/**
 * A webhook of a further set of namespaces has a number in front of its name. Which set has which number depends on the rules
 * that quotas of earlier pages have left for a moment.
 */
const SET_OF_NAMESPACES = /(?<=admission webhook ")v\d+\.(?=calculation\.)/g

/**
 * Is `actual` what a document shows? `…` stands for any text within a line, a line of nothing else for any lines. A webhook may
 * be that of any set of namespaces.
 */
export function shows(shown: string, actual: string): boolean {
  const lines = shown.trimEnd().split('\n')
  const pattern = lines.map((line) => (line === '…' ? '(?:[^\\n]*\\n)*' : `${withGaps(line)}\\n`)).join('')
  return new RegExp(`^${pattern}$`).test(`${actual.trimEnd().replaceAll(SET_OF_NAMESPACES, '')}\n`)
}

function withGaps(line: string): string {
  return line
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^\\n]*')
}
