import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './document-shell.ts'
import { CLAIMS, commandsIn, EXCUSES, runnersOf, taskCommands } from './task-commands.ts'

const said = ({ page, line, command }: { page: string; line: number; command: string }): string =>
  `${page}:${line}: ${command}`

describe('every command of the README, the quick start and the pages on tasks', () => {
  const commands = taskCommands()

  test('is run by one test, or excused [33/commands]', () => {
    expect(commands.length).toBeGreaterThan(80)
    const unrun = commands.filter((one) => runnersOf(one).length !== 1 && EXCUSES[one.command] === undefined)
    expect(unrun.map(said)).toEqual([])
  })

  test('is excused only where a page has it and no test runs it [33/commands]', () => {
    const excused = commands.filter((one) => runnersOf(one).length === 0).map(({ command }) => command)
    expect(Object.keys(EXCUSES).filter((command) => !excused.includes(command))).toEqual([])
  })

  test.each(CLAIMS)('is taken from the pages by the test that runs it: $file has $says', ({ file, says }) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(says)
  })
})

describe('the sweep finds', () => {
  test.each([
    ['a block of a shell', '```sh\n# what for\none --flag \\\n  more\n\ntwo\n```', ['one --flag \\\nmore', 'two']],
    ['a command without what is said of it', '```sh\none   # what for\n```', ['one']],
    ['a block in a list', '1. do\n\n   ```sh\n   one\n   ```\n', ['one']],
    ['a transcript in a list, which no runner reads', '1. do\n\n   ```console\n   $ one\n   out\n   ```\n', ['one']],
    ['a prompt in a block of no language', '```\n$ one\nout\n```', ['one']],
    ['a transcript', '```console\n$ one\nout\n```', ['one']],
    ['a here-document', "```sh\none <<'EOF'\na: 1\nEOF\ntwo\n```", ["one <<'EOF'\na: 1\nEOF", 'two']],
    ['no command in another language', '```yaml\na: 1\n```\n```\nsaid\n```', []],
  ])('%s', (_, text, expected) => {
    expect(commandsIn('page', text).map(({ command }) => command)).toEqual(expected)
  })

  test('only transcripts that a runner reads as such', () => {
    const [shown] = commandsIn('page', '```console\n$ one\n```')
    const [hidden] = commandsIn('page', '- x\n  ```console\n  $ one\n  ```')
    expect([shown?.fence, hidden?.fence]).toEqual(['console', 'sh'])
    expect(hidden === undefined ? [] : runnersOf(hidden)).toEqual([])
  })
})
