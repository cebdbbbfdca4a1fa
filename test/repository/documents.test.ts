// Covers the paths that documents name.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
/** A path below one of these folders of the repository. One that a pattern or an ellipsis continues names no file. */
const PATH = /(?<![\w./-])(?:src|test|scripts|docs)\/[\w./-]*\w(?![\w/.-]*[*{<…])/g
/** What a decision says of a path that was there earlier. */
const FORMER = /\bwas\b/

/** The paths of a document that are neither in the repository nor below the document's folder. */
function missingPaths(text: string, folder: string): readonly string[] {
  const isDecision = folder === 'docs/decisions'
  return text
    .split('\n')
    .filter((line) => !isDecision || !FORMER.test(line))
    .flatMap((line) => [...line.matchAll(PATH)].map(([path]) => path))
    .filter((path) => ['', folder].every((base) => !isThere(join(ROOT, base, path))))
}

/** Vitest takes the beginning of a path for the tests whose paths begin so. A decision goes by its number, too. */
const isThere = (path: string): boolean =>
  existsSync(path) || globSync([`${path}.*`, ...(NUMBERED.test(path) ? [`${path}-*.md`] : [])]).length > 0
const NUMBERED = /\/decisions\/\d{3}$/

test('every path of the repository that a document names exists', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(100)
  const missing = DOCUMENTS.flatMap((file) =>
    missingPaths(readFileSync(join(ROOT, file), 'utf8'), dirname(file)).map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})

test.each([
  ['`src/charges/decide.ts`, `test/repository/documents`, `src/systems/*/api` and `test/….yaml`', 'docs', []],
  ['`src/charges/gone.ts` and `docs/gone/`.', 'docs', ['src/charges/gone.ts', 'docs/gone']],
  ['`src/charges/gone.ts` was the owner.', 'docs', ['src/charges/gone.ts']],
  ['`src/charges/gone.ts` was the owner.', 'docs/decisions', []],
  ['`test/run.ts`', 'src/cli', []],
  ['docs/decisions/015 and docs/decisions/999', 'docs', ['docs/decisions/999']],
])('a document that says %j in %s misses %j', (text, folder, missing) => {
  expect(missingPaths(text, folder)).toEqual(missing)
})
