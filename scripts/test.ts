// Runs the test suite, checks that a test that passed proves each line of the open issues (test/acceptance-lines.ts) and each promise of
// SECURITY.md, and prints the true counts.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptanceErrors } from './acceptance.ts'
import { childrenCpuSeconds } from '../test/cpu-time.ts'
import { REAL_SERVERS } from '../test/file-costs.ts'
import { costLines, costsIn, type FileCost } from './costs.ts'
import { failedFiles, inShort, withSecondRuns, type FileReport, type Report } from './report.ts'
import { skippedLine, skippedTests } from './skipped.ts'

const SLOWEST = 10
/** Prints why a test failed when it has: of a run that is cut off the summary is missing. */
const REASONS = fileURLToPath(new URL('reasons-at-once.ts', import.meta.url))
/** More failed files than this have one cause; they are not run again. */
const MOST_RUN_AGAIN = 5

const began = performance.now()
const costs: FileCost[] = []
const first = runTests([])
// One unlucky wait must neither cost the whole run nor be forgotten: a failed file is run once more, alone.
const failedAtFirst =
  process.env['ALLOT_RUN_FAILED_AGAIN'] === undefined ? [] : failedFiles(first).filter(({ name }) => existsSync(name))
const seconds =
  failedAtFirst.length > MOST_RUN_AGAIN
    ? []
    : failedAtFirst.map(({ name }) => runTests([relative(process.cwd(), name)]))
const { report, flaky } = withSecondRuns(first, seconds)
const suites = report.testResults.filter(
  (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
)
for (const suite of suites) console.error(`FAIL ${suite.name}: ${suite.message}`)
const skipped = skippedTests(report, process.cwd())
for (const group of skipped) console.log(skippedLine(group))
const inCi = process.env['CI'] !== undefined
const clientTools = fileURLToPath(new URL('client-tools', import.meta.url))
const hasGo = spawnSync(clientTools, ['--has-go']).status === 0
/** Tests that may be skipped: elsewhere whatever the machine lacks, in CI only what needs Go, where there is none. */
const excused = skipped
  .filter(({ what, isExplained }) => isExplained && (!inCi || (what.startsWith('Go ') && !hasGo)))
  .flatMap(({ tests }) => tests)
const unexcused = skipped.flatMap(({ tests }) => tests).filter((test) => !excused.includes(test))
for (const test of unexcused) console.error(`FAIL ${test}: skipped, which ${inCi ? 'in CI ' : ''}is a failure`)
const passed = report.testResults.flatMap((suite) =>
  suite.assertionResults.filter((test) => test.status === 'passed').map((test) => test.fullName),
)
const unproven = acceptanceErrors([...passed, ...excused])
for (const line of unproven) console.error(`FAIL test/acceptance-lines.ts, SECURITY.md: ${line}`)
const failed = count(report, (status) => status === 'failed') + suites.length + unproven.length + unexcused.length
// Once more in few words: of a long output often only the end is kept.
for (const { name, assertionResults } of report.testResults)
  for (const test of assertionResults.filter(({ status }) => status === 'failed'))
    console.log(`FAIL ${relative(process.cwd(), name)}: ${test.fullName}: ${inShort(test.failureMessages)}`)
for (const line of costLines(costs, SLOWEST)) console.log(line)
const wallSeconds = (performance.now() - began) / 1000
const cpuSeconds = childrenCpuSeconds() + (costs.find(({ file }) => file === REAL_SERVERS)?.cpuSeconds ?? 0)
console.log(`all tests: ${cpuSeconds.toFixed(0)} s CPU, ${wallSeconds.toFixed(0)} s wall`)
for (const { name, tests } of flaky)
  for (const test of tests.length === 0 ? [{ fullName: 'the file itself', failureMessages: [] }] : tests)
    console.log(`FLAKY ${relative(process.cwd(), name)}: ${test.fullName}: ${inShort(test.failureMessages)}`)
const status = failed === 0 && passed.length > 0
console.log(`${passed.length} passed, ${status ? 0 : Math.max(failed, 1)} failed`)
process.exitCode = status ? 0 : 1

/** Runs the tests with these arguments of vitest. A failure outside of every test, also of the runner itself, counts as a failed file of its own. */
function runTests(args: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), 'allot-report-'))
  const file = join(folder, 'report.json')
  const recorded = join(folder, 'costs')
  const run = spawnSync(
    'vitest',
    ['run', ...args, '--reporter=default', `--reporter=${REASONS}`, '--reporter=json', `--outputFile.json=${file}`],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ALLOT_TEST_COSTS: recorded } },
  )
  if (existsSync(recorded)) costs.push(...costsIn(readFileSync(recorded, 'utf8'), process.cwd()))
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    if (run.status !== 0 && failedFiles(report).length === 0)
      return { testResults: [...report.testResults, outsideOfTests(run.status)] }
    return report
  } catch (error) {
    return { testResults: [outsideOfTests(run.status, `it left no report: ${String(error)}`)] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function outsideOfTests(exitStatus: number | null, why = 'no test failed; its output says why'): FileReport {
  const message = `the test runner ended with ${exitStatus}: ${why}`
  return { name: 'vitest', status: 'failed', message, assertionResults: [] }
}

function count({ testResults }: Report, which: (status: string) => boolean): number {
  return testResults.flatMap((suite) => suite.assertionResults).filter(({ status }) => which(status)).length
}
