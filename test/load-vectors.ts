import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SHARED = fileURLToPath(new URL('../../shared/vectors/', import.meta.url))
const COPY = fileURLToPath(new URL('vectors/', import.meta.url))

interface Difference {
  readonly file: string
  readonly name: string
  readonly reason: string
}

const differences: readonly Difference[] = JSON.parse(
  readFileSync(new URL('differences.json', import.meta.url), 'utf8'),
)

/** The text of a vector file such as `kubernetes/quantity.json`, from `../shared/vectors` where it is present. */
export function vectorText(file: string): string {
  return readFileSync((existsSync(SHARED) ? SHARED : COPY) + file, 'utf8')
}

/** The parsed vector file. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which shape the file has
export function vectors<T>(file: string): T {
  return JSON.parse(vectorText(file)) as T
}

/**
 * Registers one test for each case of a vector file. A case listed in `test/differences.json` must really differ, so that
 * an entry that is no longer true fails.
 */
export function eachCase<T>(
  file: string,
  cases: readonly T[],
  nameOf: (value: T, index: number) => string,
  check: (value: T) => void | Promise<void>,
): void {
  const seen = new Set<string>()
  cases.forEach((value, index) => {
    let name = nameOf(value, index)
    while (seen.has(name)) name += ' (again)'
    seen.add(name)
    const difference = differences.find((entry) => entry.file === file && entry.name === name)
    if (difference === undefined) test(`${file}: ${name}`, () => check(value))
    else
      test(`${file}: ${name} differs on purpose: ${difference.reason}`, async () => {
        await expect((async () => check(value))()).rejects.toThrow()
      })
  })
  for (const entry of differences.filter((one) => one.file === file && !seen.has(one.name))) {
    test(`${file}: the listed difference ${entry.name} names a case of the file`, () => {
      expect.unreachable('no such case')
    })
  }
}
