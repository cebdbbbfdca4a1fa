// Which part of the lines of src the tests run, in their own process and in those that they start: `node scripts/coverage.ts [file of
// tests …]`. The servers run from source then, and a process that is killed records nothing. Prints a line for each room and one for all.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { countLinesRan, type FileCoverage, type LineCount, ranAt, type ScriptCoverage } from './line-coverage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(ROOT, 'src/')
const SOURCE_URLS = pathToFileURL(SOURCES).href

const folder = mkdtempSync(join(tmpdir(), 'allot-coverage-'))
const processes = join(folder, 'processes')
// The runner empties its own folder.
const ownReport = join(folder, 'tests')
mkdirSync(processes)
try {
  const { status } = spawnSync(
    'vitest',
    [
      'run',
      '--coverage.enabled',
      '--coverage.provider=v8',
      '--coverage.reporter=json',
      '--coverage.reportOnFailure',
      '--coverage.include=src/**/*.ts',
      '--coverage.exclude=src/**/*.test.ts',
      `--coverage.reportsDirectory=${ownReport}`,
      ...process.argv.slice(2),
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ALLOT_FROM_SOURCE: '1', ALLOT_COVERAGE_FOLDER: processes } },
  )
  report()
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(): void {
  const inTests = JSON.parse(readFileSync(join(ownReport, 'coverage-final.json'), 'utf8')) as Record<
    string,
    FileCoverage
  >
  const ran = ranInProcesses()
  const rooms = new Map<string, LineCount>()
  let all: LineCount = { lines: 0, covered: 0 }
  for (const file of Object.values(inTests)) {
    const count = countLinesRan(file, readFileSync(file.path, 'utf8'), ran.get(file.path))
    const [room = ''] = relative(SOURCES, file.path).split('/')
    rooms.set(room, sum(rooms.get(room), count))
    all = sum(all, count)
  }
  for (const [room, count] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1))) print(`src/${room}`, count)
  print('all lines', all)
}

/** By the path of a source: for each offset whether it ran in any of the processes that the tests started. */
function ranInProcesses(): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  for (const name of readdirSync(processes, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue
    const { result } = JSON.parse(readFileSync(join(processes, name), 'utf8')) as { result: readonly ScriptCoverage[] }
    for (const script of result.filter(({ url }) => url.startsWith(SOURCE_URLS))) {
      const path = fileURLToPath(script.url)
      const all = found.get(path) ?? new Uint8Array(readFileSync(path, 'utf8').length)
      const ran = ranAt(script, all.length)
      for (let at = 0; at < all.length; at++) if (ran[at] === 1) all[at] = 1
      found.set(path, all)
    }
  }
  return found
}

function sum(a: LineCount | undefined, b: LineCount): LineCount {
  return { lines: (a?.lines ?? 0) + b.lines, covered: (a?.covered ?? 0) + b.covered }
}

function print(name: string, { lines, covered }: LineCount): void {
  const share = lines === 0 ? '100.0' : (Math.floor((1000 * covered) / lines) / 10).toFixed(1)
  console.log(`${share.padStart(5)} %  ${String(covered).padStart(6)} of ${String(lines).padStart(6)} lines  ${name}`)
}
