// This checkout beside an older one: pods created per second, time to start and to start again, memory. Both run at once and take
// turns. One JSON line per figure; a ratio is this checkout's figure by the older one's.
//
//   git worktree add ../before REVISION && (cd ../before && make install)
//   BENCH_SECONDS=12 node bench/before-after.ts ../before
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ALLOT, type Allot, startAllot, temporaryDirectory } from '../test/start-allot.ts'
import { FIGURES, measurePodCreation, median, quotient, round, summary } from './pod-creation.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '15')
const STARTS = 5
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder of the older checkout: node bench/before-after.ts DIR')
const SIDES = [
  { name: 'before', program: join(resolve(folder), 'bin/allot.js') },
  { name: 'after', program: ALLOT },
] as const

type Side = (typeof SIDES)[number]['name']
type BySide<T> = Record<Side, T>
const bySide = <T>(make: () => T): BySide<T> => ({ before: make(), after: make() })
const print = (line: object): void => console.log(JSON.stringify({ bench: 'before-after', ...line }))

function compare(figure: string, unit: string, values: BySide<readonly number[]>): void {
  const before = median(values.before)
  const after = median(values.after)
  print({ figure, unit, before: round(before), after: round(after), ratio: round(after / before) })
}

const residentMiB = ({ pid }: Allot): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Starts as for users, operator and workloads included; gives how long it took in milliseconds. */
async function timedStart(program: string, dataDir: string): Promise<{ readonly allot: Allot; readonly ms: number }> {
  const started = performance.now()
  const allot = await startAllot({ program, dataDir, operator: true, workloads: true })
  return { allot, ms: performance.now() - started }
}

const first = bySide<number[]>(() => [])
const afterTerm = bySide<number[]>(() => [])
const afterKill = bySide<number[]>(() => [])
const memory = bySide<number[]>(() => [])
for (let turn = 0; turn < STARTS; turn++)
  for (const { name, program } of turn % 2 === 0 ? SIDES : SIDES.toReversed()) {
    const dataDir = temporaryDirectory()
    const one = await timedStart(program, dataDir)
    first[name].push(one.ms)
    memory[name].push(residentMiB(one.allot))
    await one.allot.stop()
    const two = await timedStart(program, dataDir)
    afterTerm[name].push(two.ms)
    await two.allot.kill9()
    const three = await timedStart(program, dataDir)
    afterKill[name].push(three.ms)
    await three.allot.stop()
  }
compare('first start', 'ms', first)
compare('start after SIGTERM', 'ms', afterTerm)
compare('start after SIGKILL', 'ms', afterKill)
compare('memory when ready', 'MiB', memory)

await using before = await startAllot({ program: SIDES[0].program })
await using after = await startAllot()
const turns = await measurePodCreation(
  [
    { name: 'before', url: before.url, token: before.token },
    { name: 'after', url: after.url, token: after.token },
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
compare('memory after the load', 'MiB', { before: [residentMiB(before)], after: [residentMiB(after)] })
