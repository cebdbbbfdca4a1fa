/**
 * Which rows of `docs/contributing/acceptance.md` no passed test proves. A row is a table line `| issue | line | tests |`; `tests` holds
 * test names in backticks, each matching the full name of at least one test that passed (`…` stands for any text).
 */
export function unprovenRows(document: string, passed: readonly string[]): readonly string[] {
  return document.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    if (!line.startsWith('|') || /^[-: ]*$/.test(cells[1] ?? '') || cells[1] === 'Issue') return []
    const names = [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
    if (names.length === 0) return [`no test is named for: ${cells[2]}`]
    return names
      .filter((name) => !passed.some((test) => isNamed(name, test)))
      .map((name) => `no test named \`${name}\` passed (${cells[2]})`)
  })
}

/** Does this name, in which `…` stands for any text, name the test? */
export function isNamed(name: string, test: string): boolean {
  const pattern = name
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(pattern, 's').test(test)
}
