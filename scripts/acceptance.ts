// The lines of the open issues and the promises of SECURITY.md, and the tests that prove them: `node scripts/acceptance.ts` prints a table of
// these. It runs no test; names stand in it as their source has them.
import { readFileSync } from 'node:fs'
import { ACCEPTANCE_LINES } from '../test/acceptance-lines.ts'

/** Each line by the tag that the names of its tests have: `<issue or "security">/<words>`. */
type Lines = Readonly<Record<string, string>>

/** The tag of a line in the name of a test. */
const TAG = / \[((?:\d{2,}|security)\/[a-z][\w-]*)\]/g
/** The tag of a promise in the document. */
const NAMED = /`(security\/[\w-]+)`/g
const SECTION = '## Protection'
const SHOWN = 80

/**
 * Returns the promises of `SECURITY.md`: each point of its section on protection, by each tag that it names. The tag of a promise that names
 * none is one that no test can have.
 */
export function promisesIn(document: string): Lines {
  const [section = ''] = document.slice(document.indexOf(SECTION) + SECTION.length).split(/\n## /)
  return Object.fromEntries(
    section
      .split(/\n(?=- )/)
      .slice(1)
      .flatMap((point, index) => {
        const text = point.replaceAll(/\s+/g, ' ').trim().slice(2, SHOWN)
        const tags = [...point.matchAll(NAMED)].map(([, tag = '']) => tag)
        return (tags.length === 0 ? [`no tag in point ${index + 1}`] : tags).map((tag) => [tag, `${text}…`])
      }),
  )
}

const allLines = (): Lines => ({
  ...ACCEPTANCE_LINES,
  ...promisesIn(readFileSync(new URL('../SECURITY.md', import.meta.url), 'utf8')),
})

/** Returns the errors of the tests of these names, which passed: lines that none of them proves, and tags of no line. */
export function acceptanceErrors(tests: readonly string[], lines: Lines = allLines()): readonly string[] {
  const found = new Set(tests.flatMap(tagsOf))
  return [
    ...Object.entries(lines).flatMap(([tag, line]) => (found.has(tag) ? [] : [`no test of [${tag}] passed: ${line}`])),
    ...[...found].flatMap((tag) => (Object.hasOwn(lines, tag) ? [] : [`a test proves [${tag}], which is no line`])),
  ]
}

/** Returns a table with a row for each line: its issue or document, its text, and the tests that prove it. */
export function acceptanceTable(tests: readonly string[], lines: Lines = allLines()): readonly string[] {
  return [
    '| Issue | Line | Tests |',
    '|---|---|---|',
    ...Object.entries(lines).map(([tag, line]) => {
      const proving = tests.filter((test) => tagsOf(test).includes(tag)).map((test) => test.replaceAll(TAG, ''))
      return `| ${tag.split('/')[0]} | ${line} | ${proving.map((test) => `\`${test}\``).join(', ')} |`
    }),
  ]
}

/** A test file, with what was wrong as its tests were looked for. */
interface LookedAt {
  readonly relativeModuleId: string
  readonly errors: () => readonly { readonly message: string }[]
}

/** How Vitest says that it finds no test in the source of a file: functions make them as it runs. */
const NO_TEST = 'No test suite found'

/** What is to be said of files without tests in the table, and whether any of them could not be read. */
export function untabled(files: readonly LookedAt[]): {
  readonly texts: readonly string[]
  readonly isBroken: boolean
} {
  const wrong = files.flatMap((file) => file.errors().map(({ message }) => ({ of: file.relativeModuleId, message })))
  const broken = wrong.filter(({ message }) => !message.startsWith(NO_TEST))
  const made = [...new Set(wrong.filter((one) => !broken.includes(one)).map(({ of }) => of))]
  return {
    texts: [
      ...(made.length === 0 ? [] : [`not in the table, since functions make their tests: ${made.join(', ')}`]),
      ...broken.map(({ of, message }) => `${of} could not be read: ${message}`),
    ],
    isBroken: broken.length > 0,
  }
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
  const { texts, isBroken } = untabled(testModules)
  for (const text of texts) console.error(text)
  await vitest.close()
  // Vitest takes a file without a test in its source for a failure.
  process.exitCode = isBroken ? 1 : 0
}
