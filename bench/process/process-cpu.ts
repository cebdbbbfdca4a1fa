import { readdirSync, readFileSync } from 'node:fs'

/** How long all threads of a process have run by now, in milliseconds: hardly longer for other work on the machine. */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadMs(pid, thread), 0)
}

function threadMs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // The thread has ended meanwhile.
    return 0
  }
}
