import { readFileSync } from 'node:fs'

/** Of the times in `/proc`; the same on every Linux that Node runs on. */
const TICKS_A_SECOND = 100
/** Where `/proc/PID/stat` has what is read here, counted from the field behind the name of the program. */
const FIELD = { parent: 1, user: 11, system: 12, childrenUser: 13, childrenSystem: 14 } as const

/** The seconds of CPU time that this process has taken, with those of the processes that it started and that have ended. */
export function cpuSecondsWithChildren(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childrenCpuSeconds()
}

/** The seconds of CPU time of the processes that this one started and that have ended; 0 where there is no `/proc`. */
export function childrenCpuSeconds(): number {
  const stat = statOf('self')
  return stat === undefined ? 0 : (ticks(stat, 'childrenUser') + ticks(stat, 'childrenSystem')) / TICKS_A_SECOND
}

/** The seconds of CPU time of a running process that is not a child of this one, which counts its children anyway; else 0. */
export function cpuSecondsOfOther(pid: number): number {
  const stat = statOf(pid)
  if (stat === undefined || ticks(stat, 'parent') === process.pid) return 0
  return (ticks(stat, 'user') + ticks(stat, 'system')) / TICKS_A_SECOND
}

function statOf(pid: number | 'self'): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in parentheses and may hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function ticks(stat: readonly string[], field: keyof typeof FIELD): number {
  return Number(stat[FIELD[field]])
}
