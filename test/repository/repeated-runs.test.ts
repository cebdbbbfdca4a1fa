import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasPassed, runLine, summaryLines } from '../../scripts/repeated-runs.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/repeat-tests.ts', import.meta.url))
const run = (number: number, output: string, exitCode = 0) => ({ number, isLoaded: false, exitCode, output })
const COSTS = 'all tests: 540 s CPU, 580 s wall\n'
const GOOD = `${COSTS}8000 passed, 0 failed\n`
const BAD = `FAIL test/a.test.ts: a waits: timed out: 5 s\n${COSTS}8000 passed, 1 failed\n`

describe('a repeated run of the tests', () => {
  test.each([
    ['that passed', run(1, GOOD), true],
    ['that failed a test', run(1, BAD, 1), false],
    ['that needed a second run of a file', run(1, `FLAKY test/a.test.ts: a waits: late\n${GOOD}`), false],
    ['that ended before it counted', run(1, 'make: *** [Makefile:30: test] Error 1\n', 2), false],
    ['that failed behind its count', run(1, GOOD, 1), false],
  ])('%s is judged by all that it printed', (_, one, expected) => {
    expect(hasPassed(one)).toBe(expected)
  })

  test('is reported with its counts and costs', () => {
    expect(runLine(run(3, GOOD))).toBe('ok   run 3: 8000 passed, 0 failed, 540 s CPU, 580 s wall')
    expect(runLine({ ...run(4, '', 2), isLoaded: true })).toBe(
      'FAIL run 4, beside a load: it ended with 2 and counted no tests',
    )
  })

  test('is summed up with the others, each failed test with its runs, the most frequent first', () => {
    const other = 'FAIL test/b.test.ts: b\n'
    expect(summaryLines([run(1, `${other}${BAD}`, 1), run(2, GOOD), run(3, BAD, 1)])).toEqual([
      'failed in 2 of 3 runs (1, 3): test/a.test.ts: a waits',
      'failed in 1 of 3 runs (1): test/b.test.ts: b',
      '1 of 3 runs passed',
    ])
  })
})

test('tests are run again and again, the last runs beside a load on all cores', () => {
  const folder = mkdtempSync(join(tmpdir(), 'allot-repeated-'))
  const suite = join(folder, 'suite.mjs')
  // Fails when it was run before, and notes how many endless programs the one that started it has started too.
  writeFileSync(
    suite,
    `import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
const read = (path) => { try { return readFileSync(path, 'utf8') } catch { return '' } }
const isSibling = (pid) => read('/proc/' + pid + '/stat').split(') ').at(-1).split(' ')[1] === String(process.ppid)
const loads = readdirSync('/proc').filter((pid) => isSibling(pid) && read('/proc/' + pid + '/cmdline').includes('for (;;);'))
appendFileSync(process.argv[2], loads.length + ' ')
const failed = read(process.argv[2]).trim().split(' ').length - 1
if (failed > 0) console.log('FAIL test/a.test.ts: a: again')
console.log('1 passed, ' + failed + ' failed')
process.exitCode = failed
`,
  )
  const loads = join(folder, 'loads')
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, '2', '1', process.execPath, suite, loads], {
    encoding: 'utf8',
  })
  expect(stdout.split('\n')).toEqual([
    'ok   run 1: 1 passed, 0 failed',
    'FAIL run 2, beside a load: 1 passed, 1 failed',
    'failed in 1 of 2 runs (2): test/a.test.ts: a',
    '1 of 2 runs passed',
    '',
  ])
  expect(status).toBe(1)
  expect(readFileSync(loads, 'utf8')).toBe(`0 ${availableParallelism()} `)
  rmSync(folder, { recursive: true })
})
