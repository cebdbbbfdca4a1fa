// The check that everyone runs before a commit: types, lint with the floors of the house, format, unused exports, unit tests. `--static` leaves the tests out. A check
// that passed runs again only when something changes that it depends on; `--all` checks everything.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { passedFiles, type Report } from './report.ts'
import { Dependencies, PassedKeys } from './unchanged.ts'

/** The end of what a failing check says is where it says what is wrong. */
const LINES_SHOWN = 80
const SOURCE = /\.[cm]?[jt]sx?$/

interface Outcome {
  readonly name: string
  readonly code: number
  readonly output: string
  readonly seconds: string
}

function run(name: string, command: string, ...args: readonly string[]): Promise<Outcome> {
  const started = performance.now()
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    const done = (code: number): void =>
      resolve({ name, code, output, seconds: ((performance.now() - started) / 1000).toFixed(1) })
    child.on('error', (error) => {
      output += error.message
      done(127)
    })
    child.on('close', (code) => done(code ?? 1))
  })
}

const root = fileURLToPath(new URL('..', import.meta.url))
const dependencies = new Dependencies(root)
const passed = new PassedKeys(join(root, 'node_modules/.cache/passed.json'))
const isAll = process.argv.includes('--all') || process.env['ALLOT_SOAK'] !== undefined
const sources = dependencies.files.filter((file) => SOURCE.test(file))
const isOfNode = (file: string): boolean => !file.startsWith('web/') && !file.startsWith('test/page/')

const outcomes = await Promise.all([
  checkTypes('types', 'tsconfig.json', isOfNode),
  checkTypes('types of the page', 'test/page/tsconfig.json', () => true),
  lint(),
  run('format', 'oxfmt', '--check'),
  run(
    'unused exports',
    'knip',
    '--production',
    '--include=exports,files',
    '--no-progress',
    '--cache',
    '--cache-location=node_modules/.cache/knip',
  ),
  run('generated files', process.execPath, 'scripts/generate-crds.ts', '--check'),
  run('generated types', process.execPath, 'scripts/generate-types.ts', '--check'),
  run('generated reference', process.execPath, 'scripts/generate-reference.ts', '--check'),
  run('generated chart', process.execPath, 'scripts/chart/generate-chart.ts', '--check'),
  ...(process.argv.includes('--static') ? [] : [runUnitTests()]),
])
passed.save()
for (const { name, code, output, seconds } of outcomes) {
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
  if (code !== 0) console.log(output.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n'))
}
process.exitCode = outcomes.some(({ code }) => code !== 0) ? 1 : 0

interface Changed {
  readonly files: readonly string[]
  /** Keeps for the next run that these of them passed. */
  readonly pass: (files: readonly string[]) => void
}

/** The files of which something that they depend on is not as it was when they passed this check; `dependsOn`: all that they depend on. */
function changed(
  check: string,
  files: readonly string[],
  settings: readonly string[],
  dependsOn: (file: string) => Iterable<string>,
): Changed {
  const setting = `${process.version} ${dependencies.keyOf(['package-lock.json', 'tsconfig.json', ...settings])}`
  const keys = new Map(files.map((file) => [file, `${setting} ${dependencies.keyOf(dependsOn(file))}`]))
  return {
    files: files.filter((file) => isAll || !passed.has(check, file, keys.get(file) ?? '')),
    pass: (them) => {
      for (const file of them) passed.add(check, file, keys.get(file) ?? '')
    },
  }
}

/** The page is for browsers, which have other globals than Node. */
async function checkTypes(name: string, project: string, isIncluded: (file: string) => boolean): Promise<Outcome> {
  const all = 'every source'
  const included = sources.filter(isIncluded)
  const key = `${process.version} ${dependencies.keyOf(['package-lock.json', 'tsconfig.json', project, ...included])}`
  if (!isAll && passed.has(name, all, key)) return unchangedSince(name)
  const outcome = await run(
    name,
    'tsc',
    '--project',
    project,
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/${name.replaceAll(' ', '-')}.tsbuildinfo`,
  )
  if (outcome.code === 0) passed.add(name, all, key)
  return outcome
}

async function lint(): Promise<Outcome> {
  // A type that comes from further away is linted by a run that checks everything, as in CI: else a file at the bottom has half of all linted.
  const settings = ['oxlint.config.ts', 'scripts/house.ts', 'scripts/rooms.ts']
  const { files, pass } = changed('lint', sources, settings, (file) => dependencies.importsOf(file))
  if (files.length === 0) return unchangedSince('lint')
  // Without names it reads the whole tree, generated sources and all.
  const names = files.length === sources.length ? [] : ['--no-error-on-unmatched-pattern', ...files]
  const outcome = await run(`lint of ${files.length} files`, 'oxlint', '--type-aware', '--deny-warnings', ...names)
  const isNamed = (file: string): boolean => outcome.output.includes(`[${file}:`)
  // A failure that names no file, as when the runner cannot start, passes no file.
  if (outcome.code === 0 || files.some(isNamed)) pass(files.filter((file) => !isNamed(file)))
  return outcome
}

async function runUnitTests(): Promise<Outcome> {
  const tests = sources.filter((file) => /^(?:src|web)\/.*\.test\.ts$/.test(file))
  const settings = ['vitest.config.ts', 'test/measured-file.ts']
  const { files, pass } = changed('unit tests', tests, settings, (file) => dependencies.of(file))
  if (files.length === 0) return unchangedSince('unit tests')
  const folder = mkdtempSync(join(tmpdir(), 'allot-check-'))
  const report = join(folder, 'report.json')
  const outcome = await run(
    `unit tests of ${files.length} files`,
    'vitest',
    'run',
    '--project=unit',
    '--reporter=minimal',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(files.length === tests.length ? [] : files),
  )
  if (existsSync(report))
    pass(passedFiles(JSON.parse(readFileSync(report, 'utf8')) as Report).map((file) => relative(root, file)))
  rmSync(folder, { recursive: true })
  return outcome
}

function unchangedSince(name: string): Outcome {
  return { name: `${name}, as nothing changed since they passed`, code: 0, output: '', seconds: '0.0' }
}
