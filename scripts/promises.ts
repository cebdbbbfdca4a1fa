/** A test that passed: its full name, and its file below the root of the repository. */
export interface PassedTest {
  readonly file: string
  readonly name: string
}

const SECTION = '## Protection'

/**
 * Returns the errors of the promises of `SECURITY.md`: each point of its section on protection must name a test, either a file or folder of
 * tests (`test/…`, `src/…`) or a test's name in backticks (`…` stands for any text), and each named test must have passed.
 */
export function unheldPromises(document: string, passed: readonly PassedTest[]): readonly string[] {
  return promisesOf(document).flatMap((promise) => {
    const tests = testsIn(promise)
    const said = promise.slice(0, 60)
    if (tests.length === 0) return [`no test is named for: ${said}…`]
    return tests
      .filter((test) => !passed.some((one) => isPlace(test, one.file) || isNamed(test, one.name)))
      .map((test) => `no test at or named \`${test}\` passed (${said}…)`)
  })
}

/** The points of the section, each as one line. */
function promisesOf(document: string): readonly string[] {
  const begin = document.indexOf(SECTION)
  if (begin < 0) return []
  const [section = ''] = document.slice(begin + SECTION.length).split(/\n## /)
  return section
    .split(/\n(?=- )/)
    .slice(1)
    .map((point) => point.split(/\n\n/)[0]?.replace(/\s+/g, ' ').slice(2).trim() ?? '')
}

/** Names of tests have spaces, which flags, paths and fields have not. */
const testsIn = (promise: string): readonly string[] =>
  [...promise.matchAll(/`([^`]+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => /^(?:test|src)\//.test(text) || (text.includes(' ') && !text.startsWith('-')))

const isPlace = (place: string, file: string): boolean => file === place || file.startsWith(`${place}/`)

/** Does this name, in which `…` stands for any text, name the test? */
function isNamed(name: string, test: string): boolean {
  const parts = name.split('…').map((part) => RegExp.escape(part))
  return new RegExp(parts.join('.*'), 's').test(test)
}
