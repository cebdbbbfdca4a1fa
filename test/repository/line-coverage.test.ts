import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { countLinesRan, inBoth, type ScriptCoverage, unranIntervals } from '../../scripts/line-coverage.ts'

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count })

test.each([
  ['a script that ran', [[range(0, 100, 1)]], []],
  ['a function that was not called', [[range(0, 100, 1)], [range(20, 40, 0)]], [[20, 40]]],
  [
    'a branch within a function',
    [[range(0, 100, 1)], [range(20, 80, 3), range(30, 40, 0), range(50, 60, 0)]],
    [
      [30, 40],
      [50, 60],
    ],
  ],
  [
    'a called function within a branch that did not run',
    [[range(0, 100, 1), range(10, 90, 0)], [range(30, 50, 2)]],
    [
      [10, 30],
      [50, 90],
    ],
  ],
  [
    'parts that end together',
    [
      [range(0, 100, 1), range(50, 100, 0)],
      [range(60, 100, 1), range(90, 100, 0)],
    ],
    [
      [50, 60],
      [90, 100],
    ],
  ],
] as const)('what did not run of %s', (_, functions, expected) => {
  expect(unranIntervals({ functions: functions.map((ranges) => ({ ranges })) })).toEqual(expected)
})

test('what ran in neither of two processes is what both did not run', () => {
  const first = [[0, 10] as const, [20, 30] as const]
  expect(inBoth(first, [[5, 25]])).toEqual([
    [5, 10],
    [20, 25],
  ])
  expect(inBoth(first, [])).toEqual([])
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
  const unran = script === undefined ? undefined : unranIntervals(script)
  expect(countLinesRan({ ...file, s: { a: 0, b: 0, c: 7, d: 0 } }, source, unran)).toEqual({ lines: 4, covered: 3 })
  expect(countLinesRan({ ...file, s: { a: 0, b: 0, c: 7, d: 0 } }, source, undefined)).toEqual({ lines: 4, covered: 1 })
})
