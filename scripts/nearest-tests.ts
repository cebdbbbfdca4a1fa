// Which of the tests that a change may have broken a check runs: the nearest first, as many as its CPU time allows.
import { basename, dirname, join } from 'node:path'
import type { Dependencies } from './unchanged.ts'

/** How far a change may be from a test that depends on it: named in the test, named in such a file, or anywhere behind. */
const STEPS = [1, 2, Infinity]
/** Assumed of a test that has not been measured. */
const UNKNOWN_SECONDS = 0.25

/** A test that has not passed since something changed that it depends on. */
export interface WaitingTest {
  readonly file: string
  /** 0: the test itself changed, or the file that it is named after, or it never passed. Else the place in `STEPS`, from 1. */
  readonly distance: number
  /** What it cost when it last ran. */
  readonly cpuSeconds: number | undefined
}

/** A text with a key for each distance, from the nearest: what the test depends on up to there. */
export function keysByDistance(dependencies: Dependencies, file: string): string {
  const own = [file, join(dirname(file), `${basename(file).split('.')[0] ?? ''}.ts`)]
  const known = own.filter((one) => dependencies.files.includes(one))
  return [known, ...STEPS.map((steps) => dependencies.of(file, steps))]
    .map((files) => dependencies.keyOf(files))
    .join(' ')
}

/** The distance of what changed since the test passed with these keys; undefined when nothing did. */
export function distanceOfChange(passed: string | undefined, now: string): number | undefined {
  if (passed === undefined) return 0
  const keys = passed.split(' ')
  const distance = now.split(' ').findIndex((key, index) => key !== keys[index])
  return distance < 0 ? undefined : distance
}

/** The files of the tests with distance 0, and of the nearest others, cheap ones first, that cost at most so many seconds of CPU together. */
export function nearestTests(waiting: readonly WaitingTest[], cpuSeconds: number): readonly string[] {
  const cost = (test: WaitingTest): number => test.cpuSeconds ?? UNKNOWN_SECONDS
  let left = cpuSeconds
  return waiting
    .toSorted((a, b) => a.distance - b.distance || cost(a) - cost(b) || (a.file < b.file ? -1 : 1))
    .filter((test, index) => {
      left -= cost(test)
      // The first one runs whatever it costs: else the rest would wait for ever.
      return test.distance === 0 || index === 0 || left >= 0
    })
    .map(({ file }) => file)
}
