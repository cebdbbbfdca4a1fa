// The JSON report of the test runner, as far as the counts need it.
import { stripVTControlCharacters } from 'node:util'

export interface TestReport {
  readonly fullName: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

export interface FileReport {
  /** The path of the file. */
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly TestReport[]
}

export interface Report {
  readonly testResults: readonly FileReport[]
}

/** A file that failed among the others and passed alone, with the tests that had failed; none when the file itself did. */
export interface FlakyFile {
  readonly name: string
  readonly tests: readonly TestReport[]
}

/** The files in which a test failed, or that could not be run. */
export function failedFiles({ testResults }: Report): readonly FileReport[] {
  return testResults.filter(
    (file) => file.status === 'failed' || file.assertionResults.some(({ status }) => status === 'failed'),
  )
}

/** The paths of the files in which tests ran and none failed; none of a run that failed outside of its tests. */
export function passedFiles(report: Report): readonly string[] {
  const failed = new Set(failedFiles(report))
  return report.testResults
    .filter((file) => !failed.has(file) && file.assertionResults.length > 0)
    .map(({ name }) => name)
}

/**
 * The report of a run with its failed files as a second run, alone, found them, and the files that only the first run failed. A
 * file that the second run does not report keeps its first result.
 */
export function withSecondRuns(first: Report, seconds: readonly Report[]): { report: Report; flaky: FlakyFile[] } {
  const again = new Map(seconds.flatMap(({ testResults }) => testResults).map((file) => [file.name, file]))
  const stillFailed = new Set(failedFiles({ testResults: [...again.values()] }).map(({ name }) => name))
  return {
    report: { testResults: first.testResults.map((file) => again.get(file.name) ?? file) },
    flaky: failedFiles(first)
      .filter(({ name }) => again.has(name) && !stillFailed.has(name))
      .map(({ name, assertionResults }) => ({
        name,
        tests: assertionResults.filter(({ status }) => status === 'failed'),
      })),
  }
}

/** The first lines of a failure, on one. */
export function inShort(messages: readonly string[]): string {
  return stripVTControlCharacters(messages.join(' ')).replaceAll(/\s+/g, ' ').slice(0, 700)
}
