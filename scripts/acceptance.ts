// The lines of the open issues and the tests that prove them: `node scripts/acceptance.ts` prints a table of both. It runs no test; names
// stand in it as their source has them.
import { ACCEPTANCE_LINES } from '../test/acceptance-lines.ts'

type Lines = Readonly<Record<string, string>>

/** The tag of a line in the name of a test. */
const TAG = / \[(\d{2,}\/[a-z][\w-]*)\]/g

/** Returns the errors of the tests of these names, which passed: lines that none of them proves, and tags of no line. */
export function acceptanceErrors(tests: readonly string[], lines: Lines = ACCEPTANCE_LINES): readonly string[] {
  const found = new Set(tests.flatMap(tagsOf))
  return [
    ...Object.entries(lines).flatMap(([tag, line]) => (found.has(tag) ? [] : [`no test of [${tag}] passed: ${line}`])),
    ...[...found].flatMap((tag) => (Object.hasOwn(lines, tag) ? [] : [`a test proves [${tag}], which is no line`])),
  ]
}

/** Returns a table with a row for each line: its issue, its text, and the tests that prove it. */
export function acceptanceTable(tests: readonly string[], lines: Lines = ACCEPTANCE_LINES): readonly string[] {
  return [
    '| Issue | Line | Tests |',
    '|---|---|---|',
    ...Object.entries(lines).map(([tag, line]) => {
      const proving = tests.filter((test) => tagsOf(test).includes(tag)).map((test) => test.replaceAll(TAG, ''))
      return `| ${tag.split('/')[0]} | ${line} | ${proving.map((test) => `\`${test}\``).join(', ')} |`
    }),
  ]
}

const tagsOf = (test: string): readonly string[] => [...test.matchAll(TAG)].map(([, tag = '']) => tag)

if (import.meta.main) {
  const { createVitest } = await import('vitest/node')
  const vitest = await createVitest('test', { watch: false })
  const { testModules } = await vitest.collect()
  const tests = testModules.flatMap(({ relativeModuleId, children }) =>
    [...children.allTests()].map(({ fullName }) => `${relativeModuleId}: ${fullName}`),
  )
  for (const line of acceptanceTable(tests)) console.log(line)
  await vitest.close()
}
