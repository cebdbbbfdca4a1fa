// This checkout beside an older one: pods created per second and CPU spent on them, time and CPU to start and to start again,
// memory. Both run at once and take turns. One JSON line per figure; a ratio is this checkout's figure by the older one's. Of CPU
// the least of several turns counts: whatever else the machine does only adds to it.
//
//   git worktree add ../before REVISION && (cd ../before && make install)
//   BENCH_STARTS=5 BENCH_SECONDS=12 node bench/before-after.ts ../before
import { readFileSync } from 'node:fs'
import { type Allot, startAllot, temporaryDirectory } from '../test/start-allot.ts'
import { cpuMs } from './process/process-cpu.ts'
import { type Checkout, twoCheckouts } from './process/two-checkouts.ts'
import { cpuOf, FIGURES, measurePodCreation, median, quotient, round, summary } from './pod-creation.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '15')
const STARTS = Number(process.env['BENCH_STARTS'] ?? '5')
const SIDES = twoCheckouts()

type Side = Checkout['name']
type BySide<T> = Record<Side, T>
const bySide = <T>(make: () => T): BySide<T> => ({ before: make(), after: make() })
const print = (line: object): void => console.log(JSON.stringify({ bench: 'before-after', ...line }))

function compare(figure: string, unit: string, values: BySide<readonly number[]>): void {
  const before = median(values.before)
  const after = median(values.after)
  print({ figure, unit, before: round(before), after: round(after), ratio: round(after / before) })
}

function compareLeast(figure: string, unit: string, values: BySide<readonly number[]>): void {
  compare(figure, unit, { before: [Math.min(...values.before)], after: [Math.min(...values.after)] })
}

const residentMiB = ({ pid }: Allot): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Milliseconds until it was ready, and of CPU. */
interface Started {
  readonly allot: Allot
  readonly ms: number
  readonly cpu: number
}

/** Starts as for users, operator and workloads included. */
async function timedStart(program: string, dataDir: string): Promise<Started> {
  const started = performance.now()
  const allot = await startAllot({ program, dataDir, operator: true, workloads: true })
  return { allot, ms: performance.now() - started, cpu: cpuMs(allot.pid) }
}

const first = bySide<number[]>(() => [])
const afterTerm = bySide<number[]>(() => [])
const afterKill = bySide<number[]>(() => [])
const firstCpu = bySide<number[]>(() => [])
const againCpu = bySide<number[]>(() => [])
const memory = bySide<number[]>(() => [])
for (let turn = 0; turn < STARTS; turn++)
  for (const { name, program } of turn % 2 === 0 ? SIDES : SIDES.toReversed()) {
    const dataDir = temporaryDirectory()
    const one = await timedStart(program, dataDir)
    first[name].push(one.ms)
    firstCpu[name].push(one.cpu)
    memory[name].push(residentMiB(one.allot))
    await one.allot.stop()
    const two = await timedStart(program, dataDir)
    afterTerm[name].push(two.ms)
    await two.allot.kill9()
    const three = await timedStart(program, dataDir)
    afterKill[name].push(three.ms)
    againCpu[name].push(three.cpu)
    await three.allot.stop()
  }
compare('first start', 'ms', first)
compare('start after SIGTERM', 'ms', afterTerm)
compare('start after SIGKILL', 'ms', afterKill)
compareLeast('CPU of the first start', 'ms', firstCpu)
compareLeast('CPU of a start after SIGKILL', 'ms', againCpu)
compare('memory when ready', 'MiB', memory)

await using before = await startAllot({ program: SIDES[0].program })
await using after = await startAllot()
const turns = await measurePodCreation(
  [
    { name: 'before', url: before.url, token: before.token, pid: before.pid },
    { name: 'after', url: after.url, token: after.token, pid: after.pid },
  ],
  SECONDS,
)
for (const figure of FIGURES)
  print({
    figure: 'pods created per second',
    ...figure,
    before: summary(turns('before', figure)),
    after: summary(turns('after', figure)),
    ratio: quotient(turns('after', figure), turns('before', figure)),
  })
for (const figure of FIGURES) {
  const [older, newer] = [cpuOf(turns('before', figure)), cpuOf(turns('after', figure))]
  const ratio = { least: round(newer.least / older.least), median: round(newer.median / older.median) }
  print({ figure: 'CPU on 1,000 pods', unit: 'ms', ...figure, before: older, after: newer, ratio })
}
compare('memory after the load', 'MiB', { before: [residentMiB(before)], after: [residentMiB(after)] })
