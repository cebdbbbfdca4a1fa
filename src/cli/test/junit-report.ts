import type { TestResult } from './result.ts'

/** The results as JUnit's XML, which CI systems read. */
export function junitReport(results: readonly TestResult[]): string {
  const count = (type: TestResult['type']): number => results.filter((one) => one.type === type).length
  const counts = `tests="${results.length}" failures="${count('failed')}" errors="${count('wrong')}"`
  const cases = results.map(({ file, name, type, problems }) => {
    const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}"`
    if (type === 'passed') return `${head}/>\n`
    const [first = ''] = problems
    const element = type === 'failed' ? 'failure' : 'error'
    return `${head}>\n      <${element} message="${escaped(first)}">${escaped(problems.join('\n'))}</${element}>\n    </testcase>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="allot test" ${counts}>
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
