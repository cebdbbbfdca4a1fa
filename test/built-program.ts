import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BUILT = join(ROOT, 'node_modules/.cache/built')
const SOURCES = [
  'src/**/*.ts',
  'web/**/*.{css,html,json,svg,ts,tsx}',
  'bin/*',
  'schemas/*',
  'scripts/artefacts/*',
  'package*.json',
]

let built: string | undefined

/**
 * The `bin/allot.js` of the build that is released, of the sources as they are. Hundreds of tests start the program: to load each of its modules takes
 * longer than all else that a start does. It is built when a source changed. With ALLOT_FROM_SOURCE, where the coverage of lines is
 * measured, and in benchmarks it is that of the sources themselves.
 */
export function builtProgram(): string {
  const { VITEST: tests, ALLOT_FROM_SOURCE: fromSource, NODE_V8_COVERAGE: coverage } = process.env
  if (tests === undefined || fromSource !== undefined || coverage !== undefined) return join(ROOT, 'bin/allot.js')
  return (built ??= join(folderOf(keyOfSources(ROOT)), 'bin/allot.js'))
}

/** A name that changes with every source of the program below `root`. */
export function keyOfSources(root: string): string {
  const hash = createHash('sha256').update(process.version)
  const sources = globSync(SOURCES, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of sources.toSorted()) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Builds what is not there. Of several processes that do so at once the first to end leaves what all use. */
function folderOf(key: string): string {
  const folder = join(BUILT, key)
  if (existsSync(folder)) return folder
  mkdirSync(BUILT, { recursive: true })
  const unfinished = mkdtempSync(join(BUILT, 'unfinished-'))
  execFileSync(process.execPath, [join(ROOT, 'scripts/artefacts/build-program.ts'), unfinished], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
