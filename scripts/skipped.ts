// Which tests were skipped because the machine lacks something, and what brings them back.
import { relative } from 'node:path'
import type { Report, TestReport } from './report.ts'

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
  { what: 'strace', remedy: 'install strace', file: /^test\/store\/(?:fsync|crash-steps)/ },
  { what: 'openssl', remedy: 'install openssl', file: /^test\/cli\/certificates/ },
  {
    what: 'kubectl 1.32 or newer',
    remedy: 'install kubectl and put it on the PATH',
    file: /^test\/(?:kubectl|openapi|manifests|readme)\//,
  },
]

/** Tests that one thing would bring back. */
export interface SkippedGroup {
  readonly what: string
  readonly remedy: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

export interface Skipped {
  /** By what the machine lacks. */
  readonly explained: readonly SkippedGroup[]
  /** The full names of tests that were skipped for no reason that is known. */
  readonly unexplained: readonly string[]
}

/** The skipped tests of a report; paths are below `root`. */
export function skippedTests({ testResults }: Report, root: string): Skipped {
  const skipped = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(wasSkipped)
      .map(({ fullName }) => ({ file: relative(root, name), fullName, need: needOf(relative(root, name), fullName) })),
  )
  return {
    explained: NEEDS.flatMap(({ what, remedy }) => {
      const of = skipped.filter(({ need }) => need?.what === what)
      const files = [...new Set(of.map(({ file }) => file))]
      return of.length === 0 ? [] : [{ what, remedy, files, tests: of.map(({ fullName }) => fullName) }]
    }),
    unexplained: skipped.filter(({ need }) => need === undefined).map(({ fullName }) => fullName),
  }
}

/** Returns the lines that are printed about skipped tests. */
export function skippedLines({ explained, unexplained }: Skipped): readonly string[] {
  return [
    ...explained.map(
      ({ what, remedy, files, tests }) =>
        `SKIPPED ${tests.length} tests without ${what}; to run them: ${remedy} (${files.join(', ')})`,
    ),
    ...unexplained.map((test) => `SKIPPED for no known reason: ${test}`),
  ]
}

const wasSkipped = ({ status }: TestReport): boolean => status !== 'passed' && status !== 'failed'

const needOf = (path: string, name: string): Need | undefined =>
  NEEDS.find(({ file, test }) => file?.test(path) === true || test?.test(name) === true)
