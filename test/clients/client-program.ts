import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '../start-allot.ts'

const DEADLINE_MS = 90_000

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A program that runs until it ends or is stopped. */
export interface Program extends AsyncDisposable {
  readonly stdout: () => string
  /** Resolves when standard output matches; throws with what was printed when it ends before or takes too long. */
  readonly until: (pattern: RegExp) => Promise<void>
  readonly ended: Promise<Ended>
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<Ended>
}

/** Starts a client of the server that this kubeconfig names. Its home is an empty directory. */
export function start(program: string, args: readonly string[], kubeconfig: string): Program {
  const home = temporaryDirectory()
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  let over = false
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      over = true
      clearTimeout(timer)
      resolve({ code: code ?? -1, stdout, stderr })
    })
  })
  const stop: Program['stop'] = (signal) => {
    child.kill(signal)
    return ended
  }
  return {
    stdout: () => stdout,
    until: async (pattern) => {
      while (!pattern.test(stdout)) {
        if (over) throw new Error(`${program} ended before it printed ${pattern}\n${stdout}${stderr}`)
        await sleep(10)
      }
    },
    ended,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}

/** Runs a client to its end. */
export const run = (program: string, args: readonly string[], kubeconfig: string): Promise<Ended> =>
  start(program, args, kubeconfig).ended

/** The result of a program of checks: a line of JSON for each, with an error that is empty when the check holds. */
export function findings({ stdout, stderr }: Ended): ReadonlyMap<string, string> {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length === 0) throw new Error(`no check was made\n${stdout}${stderr}`)
  return new Map(
    lines.map((line) => {
      const { check, error } = JSON.parse(line) as { readonly check: string; readonly error: string }
      return [check, error]
    }),
  )
}
