// Which part of the lines of src the tests run, in their own process and in those that they start: `node scripts/coverage.ts [file of
// tests …]`. The servers run from source then, and a process that is killed records nothing. Prints a line for each room and one for all.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  countLinesRan,
  type FileCoverage,
  inBoth,
  type Interval,
  type LineCount,
  type ScriptCoverage,
  unranIntervals,
} from './line-coverage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(ROOT, 'src/')

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
  const unran = unranInProcesses()
  const rooms = new Map<string, LineCount>()
  let all: LineCount = { lines: 0, covered: 0 }
  for (const file of Object.values(inTests)) {
    const count = countLinesRan(file, readFileSync(file.path, 'utf8'), unran.get(file.path))
    const [room = ''] = relative(SOURCES, file.path).split('/')
    rooms.set(room, sum(rooms.get(room), count))
    all = sum(all, count)
  }
  for (const [room, count] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1))) print(`src/${room}`, count)
  print('all lines', all)
}

/** By the path of a source: the parts of it that ran in none of the processes that the tests started. */
function unranInProcesses(): ReadonlyMap<string, readonly Interval[]> {
  const found = new Map<string, readonly Interval[]>()
  for (const name of readdirSync(processes, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue
    const { result } = JSON.parse(readFileSync(join(processes, name), 'utf8')) as { result: readonly ScriptCoverage[] }
    for (const script of result) {
      if (!script.url.startsWith('file:')) continue
      const path = fileURLToPath(script.url)
      if (!path.startsWith(SOURCES)) continue
      const unran = unranIntervals(script)
      const before = found.get(path)
      found.set(path, before === undefined ? unran : inBoth(before, unran))
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
