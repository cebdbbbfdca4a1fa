/** Systems account CPU time in steps of some milliseconds; what is measured has to last for many of them. */
const LEAST_MS = 100
const MOST_RUNS = 100_000

/**
 * How much more CPU time `run` takes for `factor` times the size. Linear work gives about `factor`, quadratic work its square,
 * however busy the machine is.
 */
export function growth(run: (size: number) => unknown, size: number, factor: number): number {
  run(size)
  return cpuTime(() => run(size * factor)) / cpuTime(() => run(size))
}

/** The milliseconds that `run` keeps a processor busy, the mean of as many runs as it takes to tell. */
export function cpuTime(run: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    run()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1000
    if (ms >= LEAST_MS || runs === MOST_RUNS) return Math.max(ms, Number.MIN_VALUE) / runs
  }
}
