// Which tests were skipped because the machine lacks something, and what brings them back.
import { relative } from 'node:path'
import type { Report } from './report.ts'

/** The tools that a machine may lack; the first that matches counts. Either pattern selects the tests that need it. */
interface Need {
  readonly what: string
  /** The step that makes the tests run. */
  readonly remedy: string
  readonly file?: RegExp
  readonly test?: RegExp
}

const NEEDS: readonly Need[] = [
  {
    what: 'a real API server',
    remedy: 'export KUBEBUILDER_ASSETS=$(scripts/real-apiserver)',
    file: /^test\/differential\//,
    test: /a real API server and allot|the stories of resource pools on a real API server/,
  },
  {
    what: 'Go 1.21 or newer',
    remedy: 'install Go, then scripts/client-tools',
    test: /where Go is on the machine/,
  },
  { what: 'root on Linux with unshare', remedy: 'run the tests as root', test: /^(?:the image|a full disk refuses)/ },
  { what: 'Python', remedy: 'install python3 with venv, then scripts/client-tools', file: /^test\/clients\/python/ },
  { what: 'kubectl 1.20', remedy: 'scripts/client-tools, on Debian', test: /kubectl 1\.20/ },
  { what: 'Chromium', remedy: 'install the package chromium of Debian', file: /^test\/page\//, test: /in a browser/ },
  { what: 'strace', remedy: 'install strace', file: /^test\/store\/(?:fsync|crash-steps)/ },
  { what: 'openssl', remedy: 'install openssl', file: /^test\/cli\/certificates/ },
  {
    what: 'kubectl 1.32 or newer',
    remedy: 'install kubectl and put it on the PATH',
    file: /^test\/(?:kubectl|openapi|manifests|readme)\//,
  },
]

const UNKNOWN: Need = { what: 'a known reason', remedy: 'say what they need in scripts/skipped.ts' }

/** Tests that one thing would bring back. */
export interface SkippedGroup {
  readonly what: string
  readonly remedy: string
  /** False where the reason is not known. */
  readonly isExplained: boolean
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/** Returns the skipped tests of a report by what the machine lacks; paths are below `root`. */
export function skippedTests({ testResults }: Report, root: string): readonly SkippedGroup[] {
  const skipped = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName: test }) => ({ file: relative(root, name), test })),
  )
  const byNeed = Map.groupBy(skipped, ({ file, test }) => needOf(file, test))
  return [...NEEDS, UNKNOWN].flatMap((need) => {
    const { what, remedy } = need
    const of = byNeed.get(need) ?? []
    const files = [...new Set(of.map(({ file }) => file))]
    const tests = of.map(({ test }) => test)
    return of.length === 0 ? [] : [{ what, remedy, isExplained: need !== UNKNOWN, files, tests }]
  })
}

/** Returns the line that is printed about skipped tests. */
export const skippedLine = ({ what, remedy, files, tests }: SkippedGroup): string =>
  `SKIPPED ${tests.length} tests without ${what}; to run them: ${remedy} (${files.join(', ')})`

const needOf = (path: string, name: string): Need =>
  NEEDS.find(({ file, test }) => file?.test(path) === true || test?.test(name) === true) ?? UNKNOWN
