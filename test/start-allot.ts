import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { parse } from 'yaml'
import { builtProgram } from './built-program.ts'
import { freePort } from './free-ports.ts'

/** As users of a clone start it, from its sources. */
export const PROGRAM = fileURLToPath(new URL('../bin/allot.js', import.meta.url))
const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 20_000

export interface StartOptions {
  /** Further flags of `allot up`. */
  readonly args?: readonly string[]
  /** A directory to start in again; without it a new one is made, and removed after the tests. */
  readonly dataDir?: string
  readonly inMemory?: boolean
  /** As it runs for users, with the operator and its kinds; else only the API is served. */
  readonly operator?: boolean
  /** As it runs for users, with controllers that make pods and a node that runs them; else there is only what tests make. */
  readonly workloads?: boolean
  /** Left out: one that nobody else takes, also while it starts anew. */
  readonly port?: number
  /** Makes certificates and tokens of its own in a new directory, as it does for users; else it may find those of an earlier start there. */
  readonly ownIdentity?: boolean
  /** The `bin/allot.js` to run: that of a bundle of this checkout, unless benchmarks compare its sources with others. */
  readonly program?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as JSON; throws when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly json: any
}

export interface CallOptions {
  readonly method?: string
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the administrator's; null sends none. */
  readonly token?: string | null
}

export interface Allot extends AsyncDisposable {
  /** `https://host:port`. */
  readonly url: string
  readonly token: string
  /** PEM. */
  readonly ca: string
  /** The path of the kubeconfig file. */
  readonly kubeconfig: string
  readonly dataDir: string
  readonly pid: number
  /** The standard output. */
  readonly output: () => string
  /** The standard error: the log, one JSON text a line. */
  readonly logs: () => string
  /** Sends one request over a kept connection, as the administrator by default. */
  readonly call: (path: string, options?: CallOptions) => Promise<Answer>
  /** Sends SIGTERM and waits; resolves with the exit code. A second call does nothing. */
  readonly stop: () => Promise<number>
  /** Sends SIGKILL and waits. */
  readonly kill9: () => Promise<void>
}

export interface Exit {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Threads of vitest end without a word, so what they leave is swept when the next process of tests begins. */
const PREFIX = 'allot-test-'
for (const name of readdirSync(tmpdir()))
  if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length).split('-')[0])))
    rmSync(join(tmpdir(), name), { recursive: true, force: true })

const children = new Set<ChildProcess>()
const directories = new Set<string>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** A new empty directory that is removed after the tests. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  directories.add(directory)
  return directory
}

/** Runs `allot` with these arguments to its end; after `START_DEADLINE_MS` it is killed and the code is -1. */
export async function runAllot(...args: readonly string[]): Promise<Exit> {
  const { child, output, logs, exited } = launch(args)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_DEADLINE_MS)
  const code = await exited
  clearTimeout(timer)
  return { code, stdout: output(), stderr: logs() }
}

const IDENTITY = ['admin.token', 'ca.crt', 'ca.key', 'server.crt', 'server.key', 'service-account.key']

/** To make an identity takes a third of the CPU time of a start. Beside the program that was built for the tests one is kept for them all. */
class KeptIdentity {
  readonly #folder: string

  constructor(program: string) {
    this.#folder = join(dirname(program), '../identity')
  }

  copyInto(directory: string): void {
    if (existsSync(this.#folder)) copyIdentity(this.#folder, directory)
  }

  /** Keeps that of a server that has started, unless there is one. */
  keep(directory: string): void {
    if (existsSync(this.#folder)) return
    const unfinished = `${this.#folder}-${process.pid}`
    mkdirSync(unfinished, { mode: 0o700 })
    copyIdentity(directory, unfinished)
    try {
      renameSync(unfinished, this.#folder)
    } catch {
      // Another process of tests was first.
      rmSync(unfinished, { recursive: true })
    }
  }
}

function copyIdentity(from: string, to: string): void {
  for (const name of IDENTITY) copyFileSync(join(from, name), join(to, name))
}

/** Starts `allot up` and resolves when `/readyz` is ok. Rejects with its log when it does not come up. */
export async function startAllot({
  args = [],
  dataDir,
  ownIdentity = false,
  inMemory = false,
  port,
  workloads = false,
  operator = false,
  program,
}: StartOptions = {}): Promise<Allot> {
  const started = program ?? builtProgram()
  const directory = dataDir ?? temporaryDirectory()
  const identity =
    program === undefined && started !== PROGRAM && dataDir === undefined && !ownIdentity
      ? new KeptIdentity(started)
      : undefined
  identity?.copyInto(directory)
  const memory = inMemory ? ['--in-memory'] : []
  const { child, output, logs, exited } = launch(
    [
      'up',
      '--port',
      String(port ?? (await freePort())),
      '--data-dir',
      directory,
      ...memory,
      ...(workloads ? [] : ['--no-workloads']),
      ...(operator ? [] : ['--no-operator']),
      ...args,
    ],
    started,
  )
  const kubeconfig = await announced(output, logs, exited, child)
  const { url, ca, token } = readKubeconfig(kubeconfig)
  const agent = new Agent({ connect: { ca }, connections: 64, bodyTimeout: 0 })
  const call = (path: string, options: CallOptions = {}): Promise<Answer> =>
    send(agent, new URL(path, url), token, options)
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    const code = await exited
    clearTimeout(timer)
    await agent.destroy()
    return code
  }
  const allot: Allot = {
    url,
    token,
    ca,
    kubeconfig,
    dataDir: directory,
    pid: child.pid ?? 0,
    output,
    logs,
    call,
    stop: () => end('SIGTERM'),
    kill9: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  }
  await ready(allot)
  identity?.keep(directory)
  return allot
}

/** The parts of a kubeconfig of allot that a client needs. */
export function readKubeconfig(file: string): { readonly url: string; readonly ca: string; readonly token: string } {
  const config = parse(readFileSync(file, 'utf8'))
  const { server, 'certificate-authority-data': authority } = config.clusters[0].cluster
  return { url: server, ca: Buffer.from(authority, 'base64').toString(), token: config.users[0].user.token }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs `allot` with these arguments, until this process ends at the latest. */
export function launch(
  args: readonly string[],
  program = builtProgram(),
  environment: NodeJS.ProcessEnv = process.env,
) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: environment })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const exited = new Promise<number>((resolve) => {
    child.on('close', (code) => {
      children.delete(child)
      resolve(code ?? -1)
    })
  })
  return { child, output: () => stdout, logs: () => stderr, exited }
}

/** Waits for the last line that is printed when it is ready, after the kubeconfig's; gives the path that the latter names. */
async function announced(
  output: () => string,
  logs: () => string,
  exited: Promise<number>,
  child: ChildProcess,
): Promise<string> {
  let code: number | undefined
  void exited.then((value) => (code = value))
  const deadline = performance.now() + START_DEADLINE_MS
  while (!/^export KUBECONFIG=.*\n.*\n/m.test(output())) {
    if (code !== undefined) throw new Error(`allot ended with ${code} before it was ready\n${output()}${logs()}`)
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`allot was not ready in time\n${output()}${logs()}`)
    }
    await sleep(10)
  }
  const path = /^export KUBECONFIG=(.+)$/m.exec(output())?.[1]
  if (path === undefined) throw new Error(`allot printed no kubeconfig\n${output()}`)
  return path.startsWith("'") ? path.slice(1, -1).replaceAll(`'\\''`, "'") : path
}

async function ready({ call, logs, kill9 }: Allot): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const answer = await call('/readyz').catch((error: unknown) => error)
    if (typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 200) return
    if (performance.now() > deadline) {
      await kill9()
      throw new Error(`/readyz was not ok in time: ${JSON.stringify(answer)}\n${logs()}`)
    }
    await sleep(20)
  }
}

async function send(agent: Agent, url: URL, adminToken: string, options: CallOptions): Promise<Answer> {
  const { method = 'GET', body, headers = {}, token = adminToken } = options
  const response = await request(url, {
    dispatcher: agent,
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
  })
  const text = await response.body.text()
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}
