// Which part of the lines of src the tests run, in their own process and in those that they start: `node scripts/coverage.ts [file of
// tests …]`. The servers run from source then, and a process that is killed records nothing. Prints a line for each room and one for all.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface LineCount {
  readonly total: number
  readonly covered: number
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'allot-coverage-'))
const settings = {
  enabled: true,
  provider: 'v8',
  reporter: 'json-summary',
  reportOnFailure: true,
  // Also of the processes that tests start.
  autoAttachSubprocess: true,
  include: 'src/**/*.ts',
  exclude: 'src/**/*.test.ts',
  reportsDirectory: folder,
}
try {
  const { status } = spawnSync(
    'vitest',
    [
      'run',
      ...Object.entries(settings).map(([name, value]) => `--coverage.${name}=${value}`),
      ...process.argv.slice(2),
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ALLOT_FROM_SOURCE: '1' } },
  )
  report()
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(): void {
  const { total, ...files } = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8')) as Record<
    string,
    { readonly lines: LineCount }
  >
  const rooms = Map.groupBy(Object.entries(files), ([path]) => relative(join(ROOT, 'src'), path).split('/')[0] ?? '')
  for (const [room, of] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    print(`src/${room}`, {
      total: of.reduce((sum, [, { lines }]) => sum + lines.total, 0),
      covered: of.reduce((sum, [, { lines }]) => sum + lines.covered, 0),
    })
  if (total !== undefined) print('all lines', total.lines)
}

function print(name: string, { total, covered }: LineCount): void {
  const share = total === 0 ? '100.0' : (Math.floor((1000 * covered) / total) / 10).toFixed(1)
  console.log(`${share.padStart(5)} %  ${String(covered).padStart(6)} of ${String(total).padStart(6)} lines  ${name}`)
}
