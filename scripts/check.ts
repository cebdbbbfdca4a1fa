// The check that everyone runs before a commit: types, lint with the floors of the house, format, unused exports, unit tests. `--static` leaves the tests out.
// A check that passed runs again only when something changes that it depends on. Of the unit tests the nearest to the change run, in bounds of CPU time; the
// next run goes on with the rest. `--all` checks everything.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { costsIn } from './costs.ts'
import { distanceOfChange, keysByDistance, nearestTests, type WaitingTest } from './nearest-tests.ts'
import { passedFiles, type Report } from './report.ts'
import { Dependencies, PassedKeys } from './unchanged.ts'

/** The end of what a failing check says is where it says what is wrong. */
const LINES_SHOWN = 80
/** For the unit tests of a change: with the other checks they take less than 10 seconds of two cores. */
const TEST_CPU_SECONDS = 6
/** Two cores run them beside the other checks, and each further worker would load all sources again. */
const TEST_WORKERS = 2
const CACHE = 'node_modules/.cache'
/** Compiles scripts once; the compiler and the linter live too short for their garbage to be worth collecting. */
const FASTER = { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', CACHE, 'compiled'), GOGC: 'off' }
const SOURCE = /\.[cm]?[jt]sx?$/

interface Outcome {
  readonly name: string
  readonly code: number
  readonly output: string
  readonly seconds: string
}

function run(name: string, command: string, ...args: readonly string[]): Promise<Outcome> {
  return runWith({}, name, command, ...args)
}

/** `settings`: variables of the environment. */
function runWith(
  settings: NodeJS.ProcessEnv,
  name: string,
  command: string,
  ...args: readonly string[]
): Promise<Outcome> {
  const started = performance.now()
  const env = { ...process.env, ...FASTER, NO_COLOR: '1', ...settings }
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
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
const passed = new PassedKeys(join(root, CACHE, 'passed.json'))
const isAll = process.argv.includes('--all') || process.env['ALLOT_SOAK'] !== undefined
const sources = dependencies.files.filter((file) => SOURCE.test(file))
const isOfNode = (file: string): boolean => !file.startsWith('web/') && !file.startsWith('test/page/')

const outcomes = await Promise.all([
  checkTypes('types', ['tsconfig.json'], sources.filter(isOfNode)),
  checkTypes(
    'types of the page',
    ['test/page/tsconfig.json', 'web/tsconfig.json', 'tsconfig.json'],
    dependencies.importedBy(sources.filter((file) => !isOfNode(file))),
  ),
  lint(),
  run('format', 'oxfmt', '--check'),
  run(
    'unused exports',
    'knip',
    '--production',
    '--include=exports,files',
    '--no-progress',
    '--cache',
    `--cache-location=${CACHE}/knip`,
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

/** What every check depends on, with the `settings` of one, as a text without a space. */
function keyOfSettings(settings: readonly string[]): string {
  return `${process.version}:${dependencies.keyOf(['package-lock.json', 'tsconfig.json', ...settings])}`
}

/**
 * The page is for browsers, which have other globals than Node. Declarations are written, too: by them the compiler knows whether a
 * changed file looks to others as before, and else checks all that import it, also after a comment.
 */
async function checkTypes(name: string, configs: readonly string[], files: Iterable<string>): Promise<Outcome> {
  const all = 'every source'
  const key = `${keyOfSettings(configs)} ${dependencies.keyOf(files)}`
  if (!isAll && passed.has(name, all, key)) return unchangedSince(name)
  const cache = `${CACHE}/${name.replaceAll(' ', '-')}`
  const outcome = await run(
    name,
    'tsc',
    '--project',
    configs[0] ?? '',
    '--noEmit',
    'false',
    '--emitDeclarationOnly',
    '--rootDir',
    root,
    '--outDir',
    cache,
    '--incremental',
    '--tsBuildInfoFile',
    `${cache}.tsbuildinfo`,
  )
  if (outcome.code === 0) passed.add(name, all, key)
  return outcome
}

async function lint(): Promise<Outcome> {
  // A type that comes from further away is linted by a run that checks everything, as in CI: else a file at the bottom has half of all linted.
  const setting = keyOfSettings(['oxlint.config.ts', 'scripts/house.ts', 'scripts/rooms.ts'])
  const keyOf = (file: string): string => `${setting} ${dependencies.keyOf(dependencies.importsOf(file))}`
  const keys = new Map(sources.map((file) => [file, keyOf(file)]))
  const files = sources.filter((file) => isAll || passed.get('lint', file) !== keys.get(file))
  if (files.length === 0) return unchangedSince('lint')
  // Without names it reads the whole tree, generated sources and all.
  const names = files.length === sources.length ? [] : ['--no-error-on-unmatched-pattern', ...files]
  const outcome = await run(`lint of ${files.length} files`, 'oxlint', '--type-aware', '--deny-warnings', ...names)
  const isNamed = (file: string): boolean => outcome.output.includes(`[${file}:`)
  // A failure that names no file, as when the runner cannot start, passes no file.
  if (outcome.code === 0 || files.some(isNamed))
    for (const file of files) if (!isNamed(file)) passed.add('lint', file, keys.get(file) ?? '')
  return outcome
}

async function runUnitTests(): Promise<Outcome> {
  const check = 'unit tests'
  const costs = 'CPU seconds of unit tests'
  const tests = sources.filter((file) => /^(?:src|web)\/.*\.test\.ts$/.test(file))
  const setting = keyOfSettings(['vitest.config.ts', 'test/measured-file.ts'])
  const keys = new Map(tests.map((file) => [file, `${setting}:${keysByDistance(dependencies, file)}`]))
  const waiting = tests.flatMap((file): readonly WaitingTest[] => {
    const distance = isAll ? 0 : distanceOfChange(passed.get(check, file), keys.get(file) ?? '')
    const cost = passed.get(costs, file)
    return distance === undefined ? [] : [{ file, distance, cpuSeconds: cost === undefined ? undefined : Number(cost) }]
  })
  const files = nearestTests(waiting, TEST_CPU_SECONDS)
  if (files.length === 0) return unchangedSince(check)
  const folder = mkdtempSync(join(tmpdir(), 'allot-check-'))
  const report = join(folder, 'report.json')
  const measured = join(folder, 'costs')
  const outcome = await runWith(
    { ALLOT_TEST_COSTS: measured },
    `unit tests of ${files.length} files`,
    'vitest',
    'run',
    '--project=unit',
    `--maxWorkers=${TEST_WORKERS}`,
    '--reporter=minimal',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(files.length === tests.length ? [] : files),
  )
  for (const file of files) passed.forget(check, file)
  if (existsSync(report))
    for (const name of passedFiles(JSON.parse(readFileSync(report, 'utf8')) as Report)) {
      const file = relative(root, name)
      passed.add(check, file, keys.get(file) ?? '')
    }
  if (existsSync(measured))
    for (const { file, cpuSeconds } of costsIn(readFileSync(measured, 'utf8'), root))
      passed.add(costs, file, cpuSeconds.toFixed(2))
  rmSync(folder, { recursive: true })
  const left = waiting.length - files.length
  return left === 0
    ? outcome
    : { ...outcome, name: `${outcome.name}; ${left} further from the change wait for the next run` }
}

function unchangedSince(name: string): Outcome {
  return { name: `${name}, as nothing changed since they passed`, code: 0, output: '', seconds: '0.0' }
}
