import type { Reporter } from 'vitest/node'
import { inShort } from './report.ts'

/** The parts of a test that has ended that say why it failed. */
interface EndedTest {
  readonly fullName: string
  readonly module: { readonly relativeModuleId: string }
  readonly result: () => {
    readonly errors?: readonly { readonly message: string; readonly diff?: string }[] | undefined
  }
}

/** Prints why a test failed as soon as it has: the summary, at the end, is missing where a run is cut off. */
// oxlint-disable-next-line import/no-default-export -- the test runner loads a reporter so
export default class ReasonsAtOnce implements Reporter {
  onTestCaseResult(test: EndedTest): void {
    const { fullName, module } = test
    const reasons = (test.result().errors ?? []).map(({ message, diff = '' }) => `${message} ${diff}`)
    if (reasons.length > 0) console.log(`FAILED ${module.relativeModuleId}: ${fullName}: ${inShort(reasons)}`)
  }
}
