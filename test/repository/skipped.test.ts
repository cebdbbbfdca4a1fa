import { describe, expect, test } from 'vitest'
import type { FileReport } from '../../scripts/report.ts'
import { skippedLine, skippedTests } from '../../scripts/skipped.ts'

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
    expect(skippedTests(report, '/root').map(({ what, isExplained, tests }) => [what, isExplained, tests])).toEqual([
      ['a real API server', true, ['a real API server and allot run: replicas']],
      ['kubectl 1.20', true, ['kubectl 1.20 applies']],
      ['kubectl 1.32 or newer', true, ['a']],
      ['a known reason', false, ['odd']],
    ])
  })

  test('are counted, with their files', () => {
    expect(skippedTests(report, '/root').map(skippedLine)).toContain(
      'SKIPPED 1 tests without kubectl 1.32 or newer; to run them: install kubectl and put it on the PATH (test/kubectl/get.test.ts)',
    )
  })
})
