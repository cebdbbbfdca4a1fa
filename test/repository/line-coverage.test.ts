import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { countLinesRan, ranAt, type ScriptCoverage } from '../../scripts/line-coverage.ts'

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count })

test.each([
  ['a script that ran', [[range(0, 10, 1)]], '1111111111'],
  ['a function that was not called', [[range(0, 10, 1)], [range(2, 4, 0)]], '1100111111'],
  ['a branch within a function', [[range(0, 10, 1)], [range(2, 8, 3), range(3, 4, 0), range(5, 6, 0)]], '1110101111'],
  [
    'a called function within a branch that did not run',
    [[range(0, 10, 1), range(1, 9, 0)], [range(3, 5, 2)]],
    '1001100001',
  ],
  [
    'parts that end together',
    [
      [range(0, 10, 1), range(5, 10, 0)],
      [range(6, 10, 1), range(9, 10, 0)],
    ],
    '1111101110',
  ],
] as const)('what ran of %s', (_, functions, expected) => {
  expect(ranAt({ functions: functions.map((ranges) => ({ ranges })) }, 10).join('')).toBe(expected)
})

test('a line ran when one of its statements did, in the tests or in a process of theirs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'line-coverage-'))
  const path = join(folder, 'sample.mts')
  const source = [
    'export function twice(of: number): number {',
    '  return 2 * of',
    '}',
    'export function never(): number {',
    '  return 0',
    '}',
    'export function elsewhere(): number {',
    '  return 1',
    '}',
    'twice(1)',
    '',
  ].join('\n')
  writeFileSync(path, source)
  spawnSync(process.execPath, [path], { env: { ...process.env, NODE_V8_COVERAGE: folder } })
  const scripts = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: ScriptCoverage[] }).result)
  const script = scripts.find(({ url }) => url === pathToFileURL(path).href)
  expect(script).toBeDefined()
  const statement = (line: number) => ({ start: { line, column: line === 10 ? 0 : 2 } })
  const file = { path, statementMap: { a: statement(2), b: statement(5), c: statement(8), d: statement(10) } }
  const ran = script === undefined ? undefined : ranAt(script, source.length)
  expect(countLinesRan({ ...file, s: { a: 0, b: 0, c: 7, d: 0 } }, source, ran)).toEqual({ lines: 4, covered: 3 })
  expect(countLinesRan({ ...file, s: { a: 0, b: 0, c: 7, d: 0 } }, source, undefined)).toEqual({ lines: 4, covered: 1 })
})
