// Runs the whole suite again and again, to measure how flaky it is: `node scripts/repeat-tests.ts RUNS LOADED [COMMAND…]`. The last
// LOADED runs stand beside a load on all cores. The output of each run is kept in `.results/repeated`.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasPassed, type RepeatedRun, runLine, summaryLines } from './repeated-runs.ts'

const RESULTS = fileURLToPath(new URL('../.results/repeated', import.meta.url))
const ENDLESS = 'for (;;);'

const [count = '', loaded = '', ...given] = process.argv.slice(2)
const [runCount, loadedCount] = [Number(count), Number(loaded)]
if (!(Number.isInteger(runCount) && runCount > 0 && Number.isInteger(loadedCount) && loadedCount >= 0))
  throw new Error('say how many runs, and how many of them beside a load: node scripts/repeat-tests.ts 20 5')
const [command = 'make', ...args] = given.length === 0 ? ['make', 'test'] : given

mkdirSync(RESULTS, { recursive: true })
const runs: RepeatedRun[] = []
for (let number = 1; number <= runCount; number++) {
  const run = await runOnce(number, number > runCount - loadedCount)
  writeFileSync(join(RESULTS, `run-${number}.log`), run.output)
  runs.push(run)
  console.log(runLine(run))
}
for (const line of summaryLines(runs)) console.log(line)
process.exitCode = runs.every(hasPassed) ? 0 : 1

async function runOnce(number: number, isLoaded: boolean): Promise<RepeatedRun> {
  const load = isLoaded ? Array.from({ length: availableParallelism() }, keepCoreBusy) : []
  try {
    // A second run of a failed file would hide what is to be measured.
    const { ALLOT_RUN_FAILED_AGAIN: _, ...env } = process.env
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, NO_COLOR: '1' } })
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code ?? -1))
    })
    return { number, isLoaded, exitCode, output }
  } finally {
    for (const one of load) one.kill('SIGKILL')
  }
}

function keepCoreBusy(): ChildProcess {
  return spawn(process.execPath, ['-e', ENDLESS], { stdio: 'ignore' })
}
