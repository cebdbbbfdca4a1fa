import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuSecondsOfOther } from '../cpu-time.ts'
import { recordCost, REAL_SERVERS } from '../file-costs.ts'
import { borrowServer } from '../share-server.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { freePorts } from './free-ports.ts'
import { programOf, restartApiServer, startAgain } from './restart-api-server.ts'

/** The control plane that `scripts/real-control-plane` starts. */
const SERVERS = ['etcd', 'apiserver'] as const
const MANAGER = 'kcm'
const PROCESSES = [...SERVERS, MANAGER] as const
const SCRIPT = fileURLToPath(new URL('../../scripts/real-control-plane', import.meta.url))

export interface RealServer extends AsyncDisposable {
  /** `https://127.0.0.1:port`; its certificate is its own. */
  readonly url: string
  /** An administrator's. */
  readonly token: string
  readonly kubeconfig: string
  /** Ends the API server and starts it again on the same data and port; resolves when it is ready. */
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>
}

/** A server that this process started. */
export interface StartedServer extends RealServer {
  /** Where its data, logs and credentials are. */
  readonly directory: string
  /**
   * Keeps its processes from running, or lets them go on. The controller manager is started anew, as for minutes the one before
   * would miss kinds that have come again.
   */
  readonly pause: (isPaused: boolean) => void
}

export interface RealServerOptions {
  /** More of the API server's. */
  readonly flags?: string
  /** The only ones that the controller manager runs. */
  readonly controllers?: string
}

/** Where the binaries of a real control plane are; undefined when this machine has none (`scripts/real-apiserver` makes them). */
export const assets = process.env['KUBEBUILDER_ASSETS']

/**
 * Starts a real etcd, API server and controller manager and waits until they serve. With ALLOT_REAL_DIR, the folder of one
 * that `scripts/real-control-plane` started already, that one is used and left running.
 */
export async function startRealServer({
  flags = '',
  controllers = '',
}: RealServerOptions = {}): Promise<StartedServer> {
  const running = process.env['ALLOT_REAL_DIR']
  if (running !== undefined && existsSync(join(running, 'env')))
    return { ...realServerIn(running), directory: running, pause: () => undefined, [Symbol.asyncDispose]: keep }
  if (assets === undefined) throw new Error('KUBEBUILDER_ASSETS is not set; run scripts/real-apiserver and set it')
  const directory = temporaryDirectory()
  const port = await freePorts()
  const starting = spawn(SCRIPT, [directory, String(port)], {
    env: { ...process.env, APISERVER_FLAGS: flags, ...(controllers === '' ? {} : { KCM_CONTROLLERS: controllers }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(starting, 'exit')
  if (code !== 0) throw new Error(`${SCRIPT} ended with ${code}; what it started tells more in ${directory}`)
  const pidOf = (name: string): number => Number(readFileSync(join(directory, `${name}.pid`), 'utf8'))
  const noteCost = (names: readonly string[]): void => {
    const seconds = names.reduce((sum, name) => sum + cpuSecondsOfOther(pidOf(name)), 0)
    recordCost(seconds, 0, REAL_SERVERS)
  }
  const manager = programOf(pidOf(MANAGER))
  const managerFiles = { logFile: join(directory, `${MANAGER}.log`), pidFile: join(directory, `${MANAGER}.pid`) }
  return {
    ...realServerIn(directory),
    directory,
    pause: (isPaused) => {
      if (isPaused) {
        noteCost([MANAGER])
        process.kill(pidOf(MANAGER), 'SIGKILL')
      } else startAgain(manager, managerFiles)
      for (const name of SERVERS) process.kill(pidOf(name), isPaused ? 'SIGSTOP' : 'SIGCONT')
    },
    [Symbol.asyncDispose]: async () => {
      noteCost(PROCESSES)
      execFileSync(SCRIPT, ['--stop', directory])
    },
  }
}

/**
 * A real server that no other test uses meanwhile, and on which nothing of others is left. It is one of those that the tests of a
 * run use one after the other (`real-server-pool.ts`), unless another program started one (ALLOT_REAL_DIR).
 */
export async function borrowRealServer(): Promise<RealServer> {
  if (process.env['ALLOT_REAL_DIR'] !== undefined) return await startRealServer()
  const { directory, giveBack } = await borrowServer()
  return { ...realServerIn(directory), [Symbol.asyncDispose]: giveBack }
}

async function keep(): Promise<void> {}

function realServerIn(directory: string): Omit<RealServer, keyof AsyncDisposable> {
  const text = readFileSync(join(directory, 'env'), 'utf8')
  const value = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(text)?.[1] ?? ''
  const [url, token] = [value('SERVER'), value('TOKEN')]
  return {
    url,
    token,
    kubeconfig: value('KUBECONFIG'),
    restart: (signal) => restartApiServer({ directory, url, token }, signal),
  }
}
