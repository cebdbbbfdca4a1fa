// The summary of several runs of the whole suite: how often each test failed, and what the runs cost.

export interface RepeatedRun {
  /** From 1. */
  readonly number: number
  /** Were all cores kept busy by something else meanwhile? */
  readonly isLoaded: boolean
  readonly exitCode: number
  /** All that it printed. */
  readonly output: string
}

const COUNTS = /^(\d+) passed, (\d+) failed$/m
const COSTS = /^all tests: (\d+) s CPU, (\d+) s wall$/m
/** A test that failed, or failed once (`scripts/test.ts`): its file and name, without what it said. */
const FAILURE = /^(?:FAIL|FLAKY) (\S+: .+?)(?:: |$)/gm

/** Has the run passed, to its last line? One that ended before it counted its tests has not. */
export function hasPassed({ exitCode, output }: RepeatedRun): boolean {
  return exitCode === 0 && COUNTS.exec(output)?.[2] === '0' && failuresIn(output).length === 0
}

/** One line of a run: whether it passed, its counts and its costs as far as it printed them. */
export function runLine(run: RepeatedRun): string {
  const [counts = `it ended with ${run.exitCode} and counted no tests`] = COUNTS.exec(run.output) ?? []
  const [, cpu, wall] = COSTS.exec(run.output) ?? []
  const costs = cpu === undefined ? '' : `, ${cpu} s CPU, ${wall} s wall`
  return `${hasPassed(run) ? 'ok  ' : 'FAIL'} run ${run.number}${run.isLoaded ? ', beside a load' : ''}: ${counts}${costs}`
}

/** The lines about all runs: each test that failed in any of them with the numbers of the runs, the most frequent first, then the count. */
export function summaryLines(runs: readonly RepeatedRun[]): readonly string[] {
  const failures = new Map<string, number[]>()
  for (const { number, output } of runs)
    for (const failure of failuresIn(output)) failures.set(failure, [...(failures.get(failure) ?? []), number])
  const passed = runs.filter(hasPassed).length
  return [
    ...[...failures]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(
        ([failure, numbers]) =>
          `failed in ${numbers.length} of ${runs.length} runs (${numbers.join(', ')}): ${failure}`,
      ),
    `${passed} of ${runs.length} runs passed`,
  ]
}

function failuresIn(output: string): readonly string[] {
  return [...new Set([...output.matchAll(FAILURE)].map(([, failure = '']) => failure))]
}
