import { goJson } from './go-json.ts'
import { goText } from './go-text.ts'
import { MAX_OUTPUT, tooMuchOutput } from './limits.ts'
import { isRawNumber } from '../json-value.ts'

const INDENT = '    '
const LINE = `\n${INDENT}`

/** One result as text: objects, lists and null as JSON, all else as Go's `%v`; no value is `<no value>`. */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return '<no value>'
  return typeof value === 'object' && !isRawNumber(value) ? goJson(value) : goText(value)
}

/** All results as client-go's `Execute` prints them: those of one action separated by spaces. */
export function printText(results: readonly (readonly unknown[])[]): string {
  const output = new Output()
  for (const list of results) {
    list.forEach((value, index) => {
      if (index > 0) output.write(' ')
      output.write(printValue(value))
    })
  }
  return output.text
}

/** All results as `kubectl -o jsonpath-as-json` prints them: each action an indented list. */
export function printJson(results: readonly (readonly unknown[])[]): string {
  const output = new Output()
  for (const list of results) {
    // Value by value, so that the limit on the output holds before all of it is in memory.
    list.forEach((value, index) => output.write(`${index === 0 ? '[' : ','}${LINE}${goJson(value, INDENT, LINE)}`))
    output.write(list.length === 0 ? '[]\n' : '\n]\n')
  }
  return output.text
}

class Output {
  text = ''

  write(piece: string): void {
    this.text += piece
    if (this.text.length > MAX_OUTPUT) throw tooMuchOutput()
  }
}
