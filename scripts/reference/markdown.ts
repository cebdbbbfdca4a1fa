/** A text as a cell of a table. Pages are files that people read, so lines may be long. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

/** A text as code, also one with backticks in it. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

/** A table. A cell is Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** A text as a sentence of its own. */
export function sentence(text: string): string {
  const trimmed = text.trim()
  // The name of a field or a program stays as it is written.
  const isName = /^(?:\S*\w\.\S|kubectl\b)/.test(trimmed)
  const begun = isName ? trimmed : `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`
  return /[.:?!]$/.test(begun) ? begun : `${begun}.`
}
