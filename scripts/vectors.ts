// How many cases of the shared vectors ran: as they say, or differing on purpose.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface TestResult {
  readonly fullName: string
  readonly status: string
}

export interface VectorCount {
  /** `kubernetes/admission.json` */
  readonly file: string
  /** The cases that the file has. */
  readonly cases: number
  /** Those that have a test, be it one that failed or was skipped. */
  readonly seen: number
  readonly passed: number
  /** Those listed in `test/differences.json`, each of which was seen to differ. */
  readonly differing: number
}

const CASE = /\b(kubernetes\/[\w-]+\.json)(?:#\w+)?: /

/** Counts the tests that `eachCase` (`test/load-vectors.ts`) made of the files of `test/vectors/kubernetes`. */
export function countVectors(tests: readonly TestResult[], files: ReadonlyMap<string, number>): readonly VectorCount[] {
  const counts = new Map([...files].map(([file, cases]) => [file, { file, cases, seen: 0, passed: 0, differing: 0 }]))
  for (const { fullName, status } of tests) {
    const count = counts.get(CASE.exec(fullName)?.[1] ?? '')
    if (count === undefined) continue
    count.seen += 1
    if (status !== 'passed') continue
    if (fullName.includes(' differs on purpose: ')) count.differing += 1
    else count.passed += 1
  }
  return [...counts.values()]
}

/** The lines that tell the counts, the sum last. */
export function countLines(counts: readonly VectorCount[]): readonly string[] {
  const sum = (of: (count: VectorCount) => number): number => counts.reduce((total, count) => total + of(count), 0)
  const all = {
    seen: 0,
    cases: sum((one) => one.cases),
    passed: sum((one) => one.passed),
    differing: sum((one) => one.differing),
  }
  return [...counts, { file: 'kubernetes vectors', ...all }].map(
    ({ file, cases, passed, differing }) => `${file}: ${cases} cases, ${passed} passed, ${differing} differ on purpose`,
  )
}

/** The files of Kubernetes' vectors and how many cases each has: all of its lists. */
export function vectorFiles(): ReadonlyMap<string, number> {
  const folder = fileURLToPath(new URL('../test/vectors/kubernetes/', import.meta.url))
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return new Map(
    names.toSorted().map((name) => {
      const groups: unknown[] = Object.values(JSON.parse(readFileSync(folder + name, 'utf8')) as object)
      return [
        `kubernetes/${name}`,
        groups.reduce<number>((cases, group) => cases + (Array.isArray(group) ? group.length : 0), 0),
      ]
    }),
  )
}
