import type { AdvisingError } from '../../machinery/advising-error.ts'

/** What came of one test. */
export type TestResult = {
  readonly file: string
  readonly name: string
  /** Everything that is not as expected, or why the test was not run. */
  readonly problems: readonly string[]
} & (
  | { readonly type: 'passed' | 'failed' }
  /** A file is wrong, and the test was not run. */
  | { readonly type: 'wrong'; readonly error: AdvisingError }
)
