import { describe, expect, test, vi } from 'vitest'
import ReasonsAtOnce from '../../scripts/reasons-at-once.ts'
import { failedFiles, withSecondRuns, type FileReport } from '../../scripts/report.ts'

const file = (name: string, statuses: Record<string, string>): FileReport => ({
  name,
  status: Object.values(statuses).includes('failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: Object.entries(statuses).map(([fullName, status]) => ({ fullName, status, failureMessages: [] })),
})
const broken: FileReport = { ...file('broken', {}), status: 'failed' }

test('why a test failed is printed when it has, on one line', () => {
  using print = vi.spyOn(console, 'log').mockReturnValue()
  const ended = (fullName: string, ...messages: readonly string[]) => ({
    fullName,
    module: { relativeModuleId: 'test/a.test.ts' },
    result: () => ({ errors: messages.map((message) => ({ message, diff: '- a\n+ b' })) }),
  })
  const reporter = new ReasonsAtOnce()
  for (const test of [ended('good'), ended('bad', 'not\nequal')]) reporter.onTestCaseResult(test)
  expect(print.mock.calls).toEqual([['FAILED test/a.test.ts: bad: not equal - a + b']])
})

describe('a file that failed', () => {
  const first = { testResults: [file('good', { a: 'passed' }), file('bad', { b: 'passed', c: 'failed' }), broken] }

  test('is one with a failed test, or one that could not be run', () => {
    expect(failedFiles(first).map(({ name }) => name)).toEqual(['bad', 'broken'])
  })

  test('counts as it ended alone, and is reported as flaky with the tests that failed before', () => {
    const { report, flaky } = withSecondRuns(first, [
      { testResults: [file('bad', { b: 'passed', c: 'passed' })] },
      { testResults: [file('broken', { d: 'passed' })] },
    ])
    expect(failedFiles(report)).toEqual([])
    expect(flaky.map(({ name, tests }) => [name, tests.map(({ fullName }) => fullName)])).toEqual([
      ['bad', ['c']],
      ['broken', []],
    ])
  })

  test('stays failed when it fails again, and when it is not run again', () => {
    const { report, flaky } = withSecondRuns(first, [{ testResults: [file('bad', { b: 'failed', c: 'passed' })] }])
    expect(failedFiles(report).map(({ name }) => name)).toEqual(['bad', 'broken'])
    expect(flaky).toEqual([])
  })
})
