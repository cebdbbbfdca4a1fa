import { readFileSync } from 'node:fs'

/** A measurement lasts at least so long: much longer than the clock ticks of Linux, and than disturbances. */
const LEAST_MS = 20
const MOST_RUNS = 100_000
/** A disturbance of one run, such as the garbage of another, hardly affects all runs. */
const ROUNDS = 3
/** Linear work that is measured as growing by this much more than linearly is not measured again. */
const USUAL_EXCESS = 1.5
/** Of work that waits: a request. Each measurement stands for several. */
const LEAST_REQUEST_MS = 20

/**
 * How much more CPU time `run` takes for `factor` times the size. Linear work gives about `factor`, quadratic work its square,
 * however busy the machine is. A case that looks linear twice at the small size is not measured again.
 */
export function growth(run: (size: number) => unknown, size: number, factor: number): number {
  run(size)
  let small = cpuTime(() => run(size))
  let large = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    small = Math.min(
      small,
      cpuTime(() => run(size)),
    )
    large = Math.min(
      large,
      cpuTime(() => run(size * factor)),
    )
    if (large / small <= factor * USUAL_EXCESS) break
  }
  return large / small
}

/** The milliseconds that `run` keeps a processor busy, the mean of as many runs as it takes to tell, behind a first one. */
export function cpuTimeWhenWarm(run: () => unknown): number {
  run()
  return cpuTime(run)
}

/** The milliseconds that `run` keeps a processor busy, the mean of as many runs as it takes to tell. */
function cpuTime(run: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    run()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1000
    if (ms >= LEAST_MS || runs === MOST_RUNS) return Math.max(ms, Number.MIN_VALUE) / runs
  }
}

/** Eight times the size may take this many times as long: n log n, and chance, but nothing quadratic. */
const FACTOR = 8
const MOST_GROWTH = 20
/** Below this once is enough. */
const USUAL_GROWTH = 12
/** How much larger what is measured is than what is looked at, unless callers say otherwise. */
const CLOSER = 4

/**
 * How much longer work takes for eight times the size where that is more than n log n takes, else undefined. Work that is done
 * with in `quickMs` of CPU time at `size` is taken to grow as it should, so that thousands of places can be looked at; only
 * the others are measured, at `closer` times that size and an eighth of it.
 */
export async function excess(
  run: (size: number) => Promise<unknown>,
  size: number,
  quickMs: number,
  closer = CLOSER,
): Promise<number | undefined> {
  // The first time compiles what it runs, which takes many places longer than all that they do.
  for (let round = 0; round < 2; round++) if ((await cpuTimeOf(() => run(size), 1)) < quickMs) return undefined
  let [small, large] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS; round++) {
    small = Math.min(small, await cpuTimeOf(() => run((size * closer) / FACTOR)))
    large = Math.min(large, await cpuTimeOf(() => run(size * closer)))
    if (large / small <= USUAL_GROWTH) return undefined
  }
  return large / small > MOST_GROWTH ? large / small : undefined
}

/** As `cpuTime`, of work that waits: whatever else this thread does meanwhile counts too. */
async function cpuTimeOf(run: () => Promise<unknown>, mostRuns = MOST_RUNS): Promise<number> {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    await run()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1000
    if (ms >= LEAST_REQUEST_MS || runs >= mostRuns) return Math.max(ms, Number.MIN_VALUE) / runs
  }
}

/**
 * The milliseconds of CPU time that the longest turn of the event loop takes while this work is done: what others wait for at most.
 * Of a few rounds the least counts; less than `enough` is enough.
 */
export async function longestTurn(run: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Infinity
  for (let round = 0; round < ROUNDS && least >= enough; round++) least = Math.min(least, await longestTurnOnce(run))
  return least
}

async function longestTurnOnce(run: () => Promise<unknown>): Promise<number> {
  let [isOver, longest, before] = [false, 0, process.threadCpuUsage()]
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await run()
  isOver = true
  return longest
}

/** Work that takes a server less than this counts as immediate: its other work meanwhile would count too. */
const LEAST_SERVER_MS = 5
const SERVER_ROUNDS = 2

/** The least milliseconds of CPU time that the process `pid` takes for a request, of a few. */
export async function leastCpuTimeIn(
  pid: number,
  shot: () => Promise<unknown>,
  rounds = SERVER_ROUNDS,
): Promise<number> {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const before = mainThreadMs(pid)
    await shot()
    least = Math.min(least, mainThreadMs(pid) - before)
  }
  return Math.max(least, LEAST_SERVER_MS)
}

/**
 * The factor by which the process `pid` takes more CPU time for a request of `factor` times the size. A case that is `enough` at once, which is linear unless
 * the test says more, is not measured again: of several measurements the least counts.
 */
export async function growthIn(
  pid: number,
  shot: (size: number) => Promise<unknown>,
  size: number,
  factor: number,
  enough = factor * USUAL_EXCESS,
): Promise<number> {
  await shot(size)
  const small = await leastCpuTimeIn(pid, () => shot(size))
  let large = Infinity
  for (let round = 0; round < SERVER_ROUNDS; round++) {
    large = Math.min(large, await leastCpuTimeIn(pid, () => shot(size * factor), 1))
    if (large / small <= enough) break
  }
  return large / small
}

/** The milliseconds that the main thread of a process, where JavaScript runs, has kept a processor busy. */
export function mainThreadMs(pid: number): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
