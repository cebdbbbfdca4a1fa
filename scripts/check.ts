// The check that everyone runs before a commit: types, lint, format, floors, unit tests. `--static` leaves the tests out.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { circleViolations, floorViolations } from './floors.ts'

/** The end of what a failing check says is where it says what is wrong. */
const LINES_SHOWN = 80

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

const source = fileURLToPath(new URL('../src', import.meta.url))
const violations = [...floorViolations(source), ...circleViolations(source)]
const outcomes = await Promise.all([
  Promise.resolve({
    name: 'floors',
    code: violations.length === 0 ? 0 : 1,
    output: violations.join('\n'),
    seconds: '0.0',
  }),
  run('types', 'tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'),
  run('lint', 'oxlint', '--type-aware', '--deny-warnings'),
  run('format', 'oxfmt', '--check'),
  run('generated files', process.execPath, 'scripts/generate-crds.ts', '--check'),
  ...(process.argv.includes('--static')
    ? []
    : [run('unit tests', 'vitest', 'run', '--project', 'unit', '--reporter=minimal')]),
])
for (const { name, code, output, seconds } of outcomes) {
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
  if (code !== 0) console.log(output.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n'))
}
process.exitCode = outcomes.some(({ code }) => code !== 0) ? 1 : 0
