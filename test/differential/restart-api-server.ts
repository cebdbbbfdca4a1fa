import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { eventually } from '../eventually.ts'
import { isFree } from '../free-ports.ts'

export interface ApiServerProcess {
  /** Where `scripts/real-control-plane` started it. */
  readonly directory: string
  readonly url: string
  /** An administrator's. */
  readonly token: string
}

/** The environment of a control plane of tests, which need not sync its data to the disk. Memory costs less than CPU time. */
export const SPARING = { GOGC: '300', ETCD_UNSAFE_NO_FSYNC: 'true' }
/** How long it may take to end by itself; then it is killed, as by a kubelet. */
const GRACE_MS = 10_000
const START_MS = 120_000
const SHOWN_LINES = 30

/**
 * Ends an API server and starts it again with the same arguments: on the same etcd, port and certificates. The signal is sent
 * before anything is awaited; resolves when it is ready. Throws with the end of its log when it does not become that.
 */
export async function restartApiServer(
  server: ApiServerProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  whileAway?: () => Promise<void>,
): Promise<void> {
  const { directory } = server
  const pidFile = join(directory, 'apiserver.pid')
  const logFile = join(directory, 'apiserver.log')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  const program = programOf(pid)
  process.kill(pid, signal)
  const deadline = performance.now() + GRACE_MS
  while (commandLine(pid).length > 0) {
    if (performance.now() > deadline) process.kill(pid, 'SIGKILL')
    await sleep(20)
  }
  // Of a process that was killed the sockets are closed last.
  await eventually(() => isFree(Number(new URL(server.url).port)), Boolean, { what: 'the port' })
  await whileAway?.()
  const child = startAgain(program, { logFile, pidFile })
  try {
    await untilReady(server)
  } catch (error) {
    throw new Error(
      `the API server that was ended by ${signal} does not come back; exit code ${child.exitCode}\n${endOf(logFile)}`,
      {
        cause: error,
      },
    )
  }
}

/** The last lines of a log. */
export const endOf = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')

/** A program with its arguments and the folder that it runs in. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

/** The command line of this process. */
export function programOf(pid: number): Program {
  const [command = '', ...args] = commandLine(pid)
  return { command, args, cwd: readlinkSync(`/proc/${pid}/cwd`) }
}

/** Starts a program, whose output goes on in its log, and notes its pid in the file. It outlives this process. */
export function startAgain(
  { command, args, cwd }: Program,
  { logFile, pidFile }: { readonly logFile: string; readonly pidFile: string },
): ChildProcess {
  const log = openSync(logFile, 'a')
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...SPARING },
  })
  closeSync(log)
  child.unref()
  writeFileSync(pidFile, `${child.pid}\n`)
  return child
}

async function untilReady({ url, token }: ApiServerProcess): Promise<void> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } })
  const ready = async (): Promise<number | string> => {
    try {
      const headers = { authorization: `Bearer ${token}` }
      const { statusCode, body } = await agent.request({ origin: url, path: '/readyz', method: 'GET', headers })
      await body.dump()
      return statusCode
    } catch (error) {
      return String(error)
    }
  }
  try {
    await eventually(ready, (status) => status === 200, { patienceMs: START_MS, everyMs: 50, what: '/readyz' })
  } finally {
    await agent.destroy()
  }
}

/** Empty when there is no such process, or nothing but its exit code of it. */
export function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}
