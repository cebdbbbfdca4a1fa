import type { ChildProcess } from 'node:child_process'
import { Agent } from 'undici'
import { afterAll, beforeAll } from 'vitest'
import { assets, borrowRealServer, startRealServer } from '../differential/real-server.ts'
import { type BareServer, withManagerLog } from '../bare-server.ts'
import { eventually } from '../eventually.ts'
import { soak } from '../seeded-random.ts'
import { type BorrowOptions, shareServer } from '../share-server.ts'
import { launch, startAllot } from '../start-allot.ts'
import { PoolWorld } from './pool-objects.ts'

export type { BareServer } from '../bare-server.ts'

type Signal = 'SIGTERM' | 'SIGKILL'

/** One that can be ended and started again in the midst of everything. */
export interface RestartableServer extends BareServer {
  /**
   * Sends the signal at once; resolves when the server has been started again on the same data and port, and is ready. `whileAway`:
   * what must happen before it is started: how long a start takes depends on the machine.
   */
  readonly restart: (signal: Signal, whileAway?: () => Promise<void>) => Promise<void>
}

/** An API server with a running operator, which other tests may use at the same time. */
export interface SharedOperated extends BareServer {
  readonly metricsPort: number
  readonly healthPort: number
  /** Where the API of the dashboard is; empty where it was not asked for. */
  readonly dashboardUrl: string
}

/** An API server with a running operator. */
export interface Operated extends SharedOperated {
  /** The log of the operator. */
  readonly logs: () => string
}

export interface OperatedOptions {
  /** Further flags of the operator. */
  readonly args?: readonly string[]
  /** On `allot up`: with controllers that make pods. */
  readonly workloads?: boolean
  /** Fills the server before an operator has seen it. */
  readonly before?: (server: BareServer) => Promise<void>
  /** On a real server: one of its own that serves beta versions too, with kinds that there are in several groups. */
  readonly isWhole?: boolean
}

export interface OperatedServer {
  readonly name: string
  /** Can it run here? */
  readonly available: boolean
  readonly start: (options?: OperatedOptions) => Promise<Operated>
  /** The one that all tests of a run share; see `SharedServer` for what that asks of them. */
  readonly share: () => Promise<SharedOperated>
}

const PATIENCE_MS = 20_000
/** Flags with which a leader that was killed is followed soon. */
export const SHORT_LEASE: readonly string[] = [
  '--leader-elect-lease-duration=8s',
  '--leader-elect-renew-deadline=6s',
  '--leader-elect-retry-period=500ms',
]
const START_DEADLINE_MS = 60_000

/** Both servers that the operator must work on. */
export const operatedServers: readonly OperatedServer[] = [
  { name: 'allot up', available: true, start: startUp },
  { name: 'a real API server and allot run', available: assets !== undefined, start: startRun },
].map((server) => ({ ...server, share: () => shareOperated(server.name) }))

/** The server and the helpers of a suite. */
export interface Suite<Server extends BareServer, World = PoolWorld> {
  readonly server: Server
  readonly world: World
}

/** Starts or shares a server before the tests of the suite that this is called in, and lets go of it after them. */
export const forSuite = <Server extends BareServer>(start: () => Promise<Server>): Suite<Server> =>
  forWorld(start, (server) => new PoolWorld(server))

/** The same with other helpers, which `open` makes. */
export function forWorld<Server extends BareServer, World>(
  start: () => Promise<Server>,
  open: (server: Server) => World | Promise<World>,
): Suite<Server, World> {
  let server: Server
  let world: World
  beforeAll(async () => {
    server = await start()
    world = await open(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())
  return {
    get server() {
      return server
    },
    get world() {
      return world
    },
  }
}

/** The same servers without an operator, which tests start themselves. */
export const bareServers: readonly {
  readonly name: string
  readonly available: boolean
  /** `isBare`: the real one must not have the CRDs of allot. */
  readonly start: (options?: BorrowOptions) => Promise<RestartableServer>
}[] = [
  { name: 'allot up without its operator, and allot run', available: true, start: () => startBare() },
  {
    name: 'a real API server and allot run',
    available: assets !== undefined,
    start: async (options) => over(await borrowRealServer(options)),
  },
]

/**
 * Of these servers those for what an operator does alike on any API server: in the long form all, else the real one where there is one.
 * Tests of what users of quotas meet run on both.
 */
export const representative = <Server extends { readonly available: boolean }>(
  servers: readonly Server[],
): readonly Server[] => servers.filter(({ available }) => available).slice(soak ? 0 : -1)

async function startBare(): Promise<RestartableServer & { readonly dataDir: string }> {
  let allot = await startAllot()
  const { dataDir } = allot
  const port = Number(new URL(allot.url).port)
  return over<Omit<RestartableServer, 'send' | 'until'> & { readonly dataDir: string }>({
    ...allot,
    restart: async (signal, whileAway) => {
      await (signal === 'SIGKILL' ? allot.kill9() : allot.stop())
      await whileAway?.()
      allot = await startAllot({ dataDir, port })
    },
    [Symbol.asyncDispose]: async () => void (await allot.stop()),
  })
}

async function startUp({ args = [], workloads = false, before }: OperatedOptions = {}): Promise<Operated> {
  const filled = before === undefined ? {} : { dataDir: await dataFilledBy(before) }
  const allot = await startAllot({ operator: true, workloads, args, ...filled })
  const stop = async (): Promise<void> => void (await allot.stop())
  return over({ ...allot, ...portsIn(allot.output()), [Symbol.asyncDispose]: stop })
}

async function dataFilledBy(fill: (server: BareServer) => Promise<void>): Promise<string> {
  await using server = await startBare()
  await fill(server)
  return server.dataDir
}

async function shareOperated(name: string): Promise<SharedOperated> {
  const shared = await shareServer(`${name}, operated`)
  const { metricsPort = 0, healthPort = 0, dashboardUrl = '', giveBack, ...server } = shared
  return over({ ...server, metricsPort, healthPort, dashboardUrl, [Symbol.asyncDispose]: giveBack })
}

async function startRun({ args = [], before, isWhole = false }: OperatedOptions = {}): Promise<Operated> {
  const real = over(await (isWhole ? startRealServer({ isWhole }) : borrowRealServer()))
  await before?.(real)
  const operator = await startOperator(real.kubeconfig, args)
  return over({
    ...real,
    ...operator,
    [Symbol.asyncDispose]: async () => {
      await operator[Symbol.asyncDispose]()
      await real[Symbol.asyncDispose]()
    },
  })
}

export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number
  readonly metricsPort: number
  readonly healthPort: number
  readonly webhookPort: number
  readonly dashboardUrl: string
  readonly logs: () => string
  /** Ends it at once. */
  readonly kill9: () => Promise<void>
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
}

/** An `allot run` that need not have started. */
export type LaunchedOperator = Pick<OperatorProcess, 'pid' | 'logs' | 'kill9' | 'exited'> &
  AsyncDisposable & {
    /** Resolves when it says that it is ready. Rejects with its log. */
    readonly ready: () => Promise<OperatorProcess>
  }

/** Runs `allot run` against the server of a kubeconfig: that of this checkout, unless a benchmark names another. */
export function launchOperator(
  kubeconfig: string,
  args: readonly string[] = [],
  program?: string,
  environment?: NodeJS.ProcessEnv,
): LaunchedOperator {
  // API servers that are to find another replica in time are those of tests of that, which give the flag again.
  const flags = ['run', '--kubeconfig', kubeconfig, '--host', '127.0.0.1', '--shutdown-delay-duration=0s', ...args]
  const { child, output, logs, exited } = launch(flags, program, environment)
  const launched = {
    pid: child.pid ?? 0,
    logs,
    exited,
    kill9: () => end(child, exited, 'SIGKILL'),
    [Symbol.asyncDispose]: () => end(child, exited, 'SIGTERM'),
  }
  return {
    ...launched,
    ready: async () => {
      await saysReady(child, output, logs)
      return { ...launched, ...portsIn(output()) }
    },
  }
}

/** Runs `allot run` against the server of a kubeconfig and resolves when it says that it is ready. Rejects with its log. */
export function startOperator(
  kubeconfig: string,
  args: readonly string[] = [],
  program?: string,
): Promise<OperatorProcess> {
  return launchOperator(kubeconfig, args, program).ready()
}

async function end(child: ChildProcess, exited: Promise<number>, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  await exited
  clearTimeout(timer)
}

function saysReady(child: ChildProcess, output: () => string, logs: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`allot run was not ready in time\n${output()}${logs()}`))
    }, START_DEADLINE_MS)
    child.on('close', (code) => {
      clearTimeout(timer)
      reject(new Error(`allot run ended with ${code} before it was ready\n${output()}${logs()}`))
    })
    const look = (): void => {
      if (output().split('\n').length <= 2) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', look)
    look()
  })
}

/** Where an operator says it listens. */
export function portsIn(output: string): {
  readonly webhookPort: number
  readonly metricsPort: number
  readonly healthPort: number
  readonly dashboardUrl: string
} {
  const [, plain] = /dashboard on (http:\S+)/.exec(output) ?? []
  const [, secured] = /dashboard over TLS on port (\d+)/.exec(output) ?? []
  const dashboardUrl = plain ?? (secured === undefined ? '' : `https://127.0.0.1:${secured}`)
  const port = (name: string): number => Number(new RegExp(`${name} on (?:port )?(\\d+)`).exec(output)?.[1])
  return { webhookPort: port('webhooks'), metricsPort: port('/metrics'), healthPort: port('/readyz'), dashboardUrl }
}

type Place = Omit<BareServer, 'send' | 'until'>

/** Asks a server as its administrator. */
export function over<T extends Place>(place: T): T & BareServer {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 32 })
  const send: Operated['send'] = async (method, path, body, headers = {}) => {
    const answer = await agent.request({
      origin: place.url,
      method,
      path,
      headers: {
        authorization: `Bearer ${place.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text, json: safely(text) }
  }
  return {
    ...place,
    send,
    until: (path, test) =>
      eventually(() => send('GET', path), test, { what: path }).catch((error: Error) => {
        throw new Error(withManagerLog(error.message, place), { cause: error })
      }),
    [Symbol.asyncDispose]: async () => {
      await agent.destroy()
      await place[Symbol.asyncDispose]()
    },
  }
}

function safely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
