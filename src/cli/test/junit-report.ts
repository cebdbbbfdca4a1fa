import type { TestResult } from './test-simulator.ts'

/** The results as JUnit's XML, which CI systems read. */
export function junitReport(results: readonly TestResult[]): string {
  const failures = results.filter(({ problems }) => problems.length > 0).length
  const cases = results.map(({ test, problems }) => {
    const head = `    <testcase classname="${escaped(test.file)}" name="${escaped(test.name)}"`
    if (problems.length === 0) return `${head}/>\n`
    const [first = ''] = problems
    return `${head}>\n      <failure message="${escaped(first)}">${escaped(problems.join('\n'))}</failure>\n    </testcase>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${results.length}" failures="${failures}">
  <testsuite name="allot test" tests="${results.length}" failures="${failures}">
${cases.join('')}  </testsuite>
</testsuites>
`
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML cannot hold control characters, however they are written. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"]/g, (one) => ESCAPES[one] ?? one)
