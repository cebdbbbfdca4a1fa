import { describe, expect, test } from 'vitest'
import type { FileReport } from '../../scripts/report.ts'
import { skippedLines, skippedTests } from '../../scripts/skipped.ts'

const file = (name: string, tests: Readonly<Record<string, string>>): FileReport => ({
  name: `/root/${name}`,
  status: 'passed',
  message: '',
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status, failureMessages: [] })),
})

describe('tests that were skipped', () => {
  const report = {
    testResults: [
      file('test/kubectl/get.test.ts', { a: 'skipped', b: 'passed' }),
      file('test/kubectl/versions.test.ts', { 'kubectl 1.20 applies': 'skipped' }),
      file('test/operator/run.test.ts', { 'a real API server and allot run: replicas': 'pending' }),
      file('test/api/read/list.test.ts', { odd: 'skipped', bad: 'failed' }),
    ],
  }

  test('are named by what would bring them back', () => {
    const { explained, unexplained } = skippedTests(report, '/root')
    expect(explained.map(({ what, tests }) => [what, tests])).toEqual([
      ['a real API server', ['a real API server and allot run: replicas']],
      ['kubectl 1.20', ['kubectl 1.20 applies']],
      ['kubectl 1.32 or newer', ['a']],
    ])
    expect(unexplained).toEqual(['odd'])
  })

  test('are counted, with their files', () => {
    expect(skippedLines(skippedTests(report, '/root'))).toContain(
      'SKIPPED 1 tests without kubectl 1.32 or newer; to run them: install kubectl and put it on the PATH (test/kubectl/get.test.ts)',
    )
    expect(skippedLines(skippedTests(report, '/root')).at(-1)).toBe('SKIPPED for no known reason: odd')
  })
})
