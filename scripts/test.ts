// Runs the test suite, checks that every line of docs/acceptance.md is covered by tests that ran and every case of Kubernetes'
// vectors by a test, and prints the true counts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { unprovenRows } from './acceptance.ts'
import { countLines, countVectors, vectorFiles } from './vectors.ts'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** What has a long form. */
const LONG = [
  '--project',
  'server',
  ...['storm', 'chaos', 'fuzz', 'store', 'differential/random', 'grants', 'operator/chaos'].map(
    (name) => `test/${name}`,
  ),
]

const folder = mkdtempSync(join(tmpdir(), 'allot-test-'))
const file = join(folder, 'report.json')
const soak = process.argv.includes('--soak')
const run = spawnSync(
  'vitest',
  ['run', ...(soak ? LONG : []), '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
let report: Report
try {
  report = JSON.parse(readFileSync(file, 'utf8')) as Report
} catch (error) {
  console.error(`the test runner left no report (exit status ${run.status}): ${String(error)}`)
  console.log('0 passed, 1 failed')
  process.exit(1)
}
rmSync(folder, { recursive: true })

const suites = report.testResults.filter(
  (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
)
for (const suite of suites) console.error(`FAIL ${suite.name}: ${suite.message}`)
const clientTools = fileURLToPath(new URL('client-tools', import.meta.url))
/** What a machine may lack: Go, in CI too; a real API server, which CI brings along. The tests that need it may be skipped. */
const excused = [
  ...(spawnSync(clientTools, ['--has-go']).status === 0 ? [] : skippedOf(report, /where Go is on the machine/)),
  ...(process.env['KUBEBUILDER_ASSETS'] === undefined && process.env['CI'] === undefined
    ? skippedOf(report, /a real API server and allot/)
    : []),
]
const passed = report.testResults.flatMap((suite) =>
  suite.assertionResults.filter((test) => test.status === 'passed').map((test) => test.fullName),
)
const unproven = soak
  ? []
  : unprovenRows(readFileSync(new URL('../docs/acceptance.md', import.meta.url), 'utf8'), [...passed, ...excused])
for (const line of unproven) console.error(`FAIL docs/acceptance.md: ${line}`)
const vectors = soak
  ? []
  : countVectors(
      report.testResults.flatMap((suite) => suite.assertionResults),
      vectorFiles(),
    )
if (!soak) for (const line of countLines(vectors)) console.log(line)
const forgotten = vectors.filter(({ cases, seen }) => seen < cases)
for (const { file, cases, seen } of forgotten) console.error(`FAIL ${file}: ${cases - seen} cases have no test`)
const skipped = report.numPendingTests - excused.length
if (skipped > 0 && process.env['CI'] !== undefined)
  console.error(`FAIL ${skipped} tests were skipped; in CI a missing tool is a failure`)
const failed =
  report.numFailedTests +
  suites.length +
  unproven.length +
  forgotten.length +
  (process.env['CI'] === undefined ? 0 : skipped)
// Once more in few words: of a long output often only the end is kept.
for (const { name, assertionResults } of report.testResults)
  for (const test of assertionResults.filter(({ status }) => status === 'failed'))
    console.log(`FAIL ${relative(process.cwd(), name)}: ${test.fullName}: ${inShort(test.failureMessages)}`)
const status = failed === 0 && run.status === 0 && report.numPassedTests > 0
console.log(`${report.numPassedTests} passed, ${status ? 0 : Math.max(failed, 1)} failed`)
process.exitCode = status ? 0 : 1

function skippedOf({ testResults }: Report, name: RegExp): readonly string[] {
  return testResults.flatMap((suite) =>
    suite.assertionResults
      .filter(({ fullName, status }) => status !== 'passed' && status !== 'failed' && name.test(fullName))
      .map(({ fullName }) => fullName),
  )
}

/** The first lines of a failure, on one. */
function inShort(messages: readonly string[]): string {
  return stripVTControlCharacters(messages.join(' ')).replaceAll(/\s+/g, ' ').slice(0, 700)
}
