import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { borrowServer, type BorrowOptions } from '../share-server.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { freePorts } from '../free-ports.ts'
import {
  endManager,
  endOfManagerLog,
  holdManager,
  isManagerRunning,
  isServedAnew,
  managerOf,
  noteCost,
  noteServed,
  pidIn,
  PROCESSES,
  restartManagerAfter,
  runControllers,
  SERVERS,
  startManager,
} from './real-processes.ts'
import { restartApiServer, SPARING } from './restart-api-server.ts'

/**
 * A third of what an API server costs goes into beta versions: after each change of a CRD it writes the OpenAPI document of all that it
 * serves. Most tests use nothing but what is stable.
 */
const WITHOUT_BETAS = '--runtime-config=api/beta=false --enable-priority-and-fairness=false'
/**
 * A controller of ResourceQuotas that hears of a usage after it counted leaves it until it counts all again, by default every five
 * minutes. Servers with controllers of their own keep that, where it must be allot that mends a usage.
 */
const COUNTING_OFTEN = '--resource-quota-sync-period=20s'
const SCRIPT = fileURLToPath(new URL('../../scripts/real-control-plane', import.meta.url))

export interface RealServer extends AsyncDisposable {
  /** `https://127.0.0.1:port`; its certificate is its own. */
  readonly url: string
  /** An administrator's. */
  readonly token: string
  readonly kubeconfig: string
  /** Ends the API server and starts it again on the same data and port, `whileAway` in between; resolves when it is ready. */
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL', whileAway?: () => Promise<void>) => Promise<void>
  /** Ends the controller manager and starts it with these controllers and no others. */
  readonly runControllers: (controllers: string) => Promise<void>
  /** The end of the log of the controller manager. */
  readonly managerLog: () => string
}

/** A server that this process started. */
export interface StartedServer extends RealServer {
  /** Where its data, logs and credentials are. */
  readonly directory: string
  /** Keeps its processes from running, or lets them go on. A controller manager that was ended is started then. */
  readonly pause: (isPaused: boolean) => Promise<void>
  /**
   * Starts the controller manager anew where it ended by itself, which is printed, or where the API server was started anew: a manager
   * that did not reach it looks again up to a minute later.
   */
  readonly reviveManager: () => Promise<void>
  /** Keeps the controller manager from running, or lets it go on. */
  readonly holdManager: (isHeld: boolean) => void
  /** Ends the controller manager. */
  readonly endManager: () => void
  /** Does the controller manager run with the controllers that it was started with? */
  readonly hasItsControllers: () => boolean
}

export interface RealServerOptions {
  /** More of the API server's. */
  readonly flags?: string
  /** The only ones that the controller manager runs. */
  readonly controllers?: string
  /** As Kubernetes sets it up, with beta versions of what it serves and with fair queues. */
  readonly isWhole?: boolean
}

/** Where the binaries of a real control plane are; undefined when this machine has none (`scripts/real-apiserver` makes them). */
export const assets = process.env['KUBEBUILDER_ASSETS']

/** A folder with the same binaries, whose controller manager gets the flag as well: the script has no place for it. */
function countingOften(binaries: string, directory: string): string {
  const folder = join(directory, 'bin')
  mkdirSync(folder)
  const manager = 'kube-controller-manager'
  for (const name of readdirSync(binaries)) if (name !== manager) symlinkSync(join(binaries, name), join(folder, name))
  const script = `#!/bin/sh\nexec '${join(binaries, manager)}' "$@" ${COUNTING_OFTEN}\n`
  writeFileSync(join(folder, manager), script, { mode: 0o755 })
  return folder
}

/**
 * Starts a real etcd, API server and controller manager and waits until they serve. With ALLOT_REAL_DIR, the folder of one
 * that `scripts/real-control-plane` started already, that one is used and left running.
 */
export async function startRealServer({
  flags = '',
  controllers = '',
  isWhole = false,
}: RealServerOptions = {}): Promise<StartedServer> {
  const running = process.env['ALLOT_REAL_DIR']
  if (running !== undefined && existsSync(join(running, 'env')))
    return {
      ...realServerIn(running),
      directory: running,
      pause: keep,
      reviveManager: keep,
      holdManager: () => undefined,
      endManager: () => undefined,
      hasItsControllers: () => true,
      [Symbol.asyncDispose]: keep,
    }
  if (assets === undefined) throw new Error('KUBEBUILDER_ASSETS is not set; run scripts/real-apiserver and set it')
  const directory = temporaryDirectory()
  const port = await freePorts()
  const starting = spawn(SCRIPT, [directory, String(port)], {
    env: {
      ...process.env,
      ...SPARING,
      APISERVER_FLAGS: isWhole ? flags : `${WITHOUT_BETAS} ${flags}`,
      ...(controllers === ''
        ? { KUBEBUILDER_ASSETS: countingOften(assets, directory) }
        : { KCM_CONTROLLERS: controllers }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(starting, 'exit')
  if (code !== 0) throw new Error(`${SCRIPT} ended with ${code}; what it started tells more in ${directory}`)
  const manager = managerOf(directory)
  let hasManager = true
  noteServed(directory)
  const start = async (): Promise<void> => {
    await startManager(directory, manager)
    hasManager = true
  }
  return {
    ...realServerIn(directory),
    directory,
    pause: async (isPaused) => {
      for (const name of hasManager ? PROCESSES : SERVERS)
        process.kill(pidIn(directory, name), isPaused ? 'SIGSTOP' : 'SIGCONT')
      if (isPaused || hasManager) return
      await start()
    },
    reviveManager: async () => {
      const isRunning = isManagerRunning(directory)
      if (isRunning && !isServedAnew(directory)) return
      if (isRunning) endManager(directory)
      else console.error(`a controller manager ended by itself:\n${endOfManagerLog(directory)}`)
      await start()
    },
    holdManager: (isHeld) => holdManager(directory, isHeld),
    endManager: () => {
      endManager(directory)
      hasManager = false
    },
    hasItsControllers: () => isDeepStrictEqual(managerOf(directory), manager),
    [Symbol.asyncDispose]: async () => {
      noteCost(directory, PROCESSES)
      execFileSync(SCRIPT, ['--stop', directory])
    },
  }
}

/**
 * A real server that no other test uses meanwhile, and on which nothing of others is left but, unless it is to be bare, the CRDs of
 * allot. It is one of those that the tests of a run use one after the other (`real-server-pool.ts`), unless another program started
 * one (ALLOT_REAL_DIR).
 */
export async function borrowRealServer(options: BorrowOptions = {}): Promise<RealServer> {
  if (process.env['ALLOT_REAL_DIR'] !== undefined) return await startRealServer()
  const { directory, giveBack } = await borrowServer(options)
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
    restart: async (signal, whileAway) => {
      const again = (): Promise<void> => restartApiServer({ directory, url, token }, signal, whileAway)
      // It would go on with pauses of half a minute and more. One that another program started is left as it is.
      if (process.env['ALLOT_REAL_DIR'] === undefined) await restartManagerAfter(directory, again)
      else await again()
    },
    runControllers: async (controllers) => {
      // One that another program started is left as it is.
      if (process.env['ALLOT_REAL_DIR'] === undefined) await runControllers(directory, controllers)
    },
    managerLog: () => endOfManagerLog(directory),
  }
}
