import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Allot, startAllot, temporaryDirectory } from '../start-allot.ts'

const RUN_DEADLINE_MS = 60_000
const UNTIL_DEADLINE_MS = 60_000
/** Each look starts a process, which takes the CPU time that others need for what is looked for. */
const LOOK_MS = 200
const STRANGE_TO_TESTS = ['KUBECONFIG', 'EDITOR', 'KUBE_EDITOR', 'KUBECTL_EXTERNAL_DIFF']

/** Is there a kubectl to test with? Without one these suites are skipped. */
export const hasKubectl = runs('kubectl')

export interface Run {
  /** The exit code; -1 when it was killed because it took too long. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Goes to standard input; an object goes there as JSON. */
  readonly input?: string | object
  readonly env?: Readonly<Record<string, string>>
  /** Instead of that of the session. */
  readonly program?: string
}

/** A kubectl that runs until it is stopped. */
export interface Running {
  readonly stdout: () => string
  /** Resolves when standard output matches; throws with what was printed when that takes too long. */
  readonly until: (pattern: RegExp) => Promise<void>
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<Run>
  /** Kills it if it still runs. */
  readonly stop: () => Promise<Run>
}

/** kubectl, bound to one namespace. */
export interface Kubectl {
  readonly namespace: string
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Run>
  /** Returns the standard output of a command. Throws unless it succeeds. */
  readonly ok: (...args: readonly string[]) => Promise<string>
  /** Returns the standard error of a command. Throws unless it fails. */
  readonly fails: (...args: readonly string[]) => Promise<string>
  /** Makes what a test needs before it begins, with the requests of `kubectl create` but without a process for each. */
  readonly has: (...objects: readonly object[]) => Promise<void>
  /** `kubectl create -f -` of objects; what it prints. */
  readonly create: (...objects: readonly object[]) => Promise<string>
  /** Returns the message of `kubectl create -f -` about a rejected object. */
  readonly refuses: (object: object) => Promise<string>
  /** `kubectl get -o json`, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
  readonly get: (...args: readonly string[]) => Promise<any>
  /** Starts a command that keeps running. */
  readonly start: (...args: readonly string[]) => Running
  /** Repeats a command until what it prints contains the text. */
  readonly until: (text: string, ...args: readonly string[]) => Promise<string>
}

export interface Session {
  readonly allot: () => Allot
  /** A kubectl for a namespace that was just made, with these labels. */
  readonly inNewNamespace: (labels?: Readonly<Record<string, string>>) => Promise<Kubectl>
  /** A kubectl for this namespace, which need not exist. */
  readonly inNamespace: (namespace: string) => Kubectl
  /** Writes a file (an object as JSON) and gives its path. */
  readonly file: (name: string, content: string | object) => string
}

/**
 * Registers hooks that start a server for the suite, and end it and look into its log after the last test. `program` is the
 * kubectl that its tests run; without `workloads` nothing makes pods but the tests.
 */
export function session(program = 'kubectl', { workloads = false } = {}): Session {
  const folder = temporaryDirectory()
  let server: Allot | undefined
  let namespaces = 0
  beforeAll(async () => {
    server = await startAllot({ workloads })
  })
  afterAll(async () => {
    if (server === undefined) return
    const code = await server.stop()
    expect({ code, errors: errorsOf(server.logs()) }).toEqual({ code: 0, errors: [] })
  })
  const allot = (): Allot => {
    if (server === undefined) throw new Error('the server is started before the first test, not earlier')
    return server
  }
  const make = maker(allot)
  const inNamespace = (namespace: string): Kubectl => ({
    ...kubectl(program, folder, allot().kubeconfig, namespace),
    has: async (...objects) => {
      for (const object of objects) await make(namespace, object as Made)
    },
  })
  return {
    allot,
    inNamespace,
    inNewNamespace: async (labels = {}) => {
      namespaces += 1
      const name = `n${namespaces}`
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
      const { status, text } = await allot().call('/api/v1/namespaces', { method: 'POST', body })
      if (status !== 201) throw new Error(`namespace ${name}: ${status} ${text}`)
      return inNamespace(name)
    },
    file: (name, content) => {
      const path = join(folder, name)
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o700 })
      return path
    },
  }
}

interface Made {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
}

interface ServedKind {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Creates objects as `kubectl create` does, in the namespace that it was started for. */
function maker(allot: () => Allot): (namespace: string, object: Made) => Promise<void> {
  const served = new Map<string, string>()
  const pathOf = async (namespace: string, { apiVersion, kind, metadata }: Made): Promise<string> => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
    const key = `${root} ${kind}`
    if (!served.has(key)) {
      const { status, json } = await allot().call(root)
      const resources: readonly ServedKind[] = status === 200 ? json.resources : []
      const found = resources.find((one) => one.kind === kind && !one.name.includes('/'))
      if (found === undefined) throw new Error(`no ${kind} of ${apiVersion} is served`)
      served.set(key, found.namespaced ? `${root}/namespaces/NAMESPACE/${found.name}` : `${root}/${found.name}`)
    }
    return (served.get(key) ?? '').replace('NAMESPACE', metadata.namespace ?? namespace)
  }
  return async (namespace, object) => {
    const path = `${await pathOf(namespace, object)}?fieldManager=kubectl-create&fieldValidation=Strict`
    const { status, text } = await allot().call(path, { method: 'POST', body: object })
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
  }
}

/** Does this kubectl run? */
export function runs(program: string): boolean {
  try {
    execFileSync(program, ['version', '--client'], { timeout: RUN_DEADLINE_MS, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A `List` of objects, which kubectl reads as so many files. */
export const listOf = (...items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items })

/** A kubectl for a server that somebody else has started. */
export const kubectlOf = (kubeconfig: string, namespace = 'default'): Omit<Kubectl, 'has'> =>
  kubectl('kubectl', temporaryDirectory(), kubeconfig, namespace)

function kubectl(usual: string, folder: string, kubeconfig: string, namespace: string): Omit<Kubectl, 'has'> {
  const launch = (args: readonly string[], { input, env = {}, program = usual }: RunOptions = {}): Running => {
    const inherited = Object.entries(process.env).filter(([name]) => !STRANGE_TO_TESTS.includes(name))
    const child = spawn(program, ['--cache-dir', join(folder, 'cache'), '--namespace', namespace, ...args], {
      cwd: folder,
      // It lives too briefly to be worth its garbage collector.
      env: { ...Object.fromEntries(inherited), HOME: folder, KUBECONFIG: kubeconfig, GOGC: 'off', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    // kubectl may end before it has read what it is given.
    child.stdin.on('error', () => undefined)
    child.stdin.end(typeof input === 'object' ? JSON.stringify(input) : input)
    let over = false
    const ended = new Promise<Run>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => {
        over = true
        resolve({ code: code ?? -1, stdout, stderr })
      })
    })
    return {
      stdout: () => stdout,
      ended,
      until: async (pattern) => {
        const deadline = performance.now() + UNTIL_DEADLINE_MS
        while (!pattern.test(stdout)) {
          if (over || performance.now() > deadline)
            throw new Error(
              `kubectl ${args.join(' ')}: ${over ? 'ended' : 'never printed'} ${pattern}\n${stdout}${stderr}`,
            )
          await sleep(10)
        }
      },
      stop: () => {
        child.kill('SIGKILL')
        return ended
      },
    }
  }
  const run: Kubectl['run'] = async (args, options) => {
    const running = launch(args, options)
    const timer = setTimeout(() => void running.stop(), RUN_DEADLINE_MS)
    const result = await running.ended
    clearTimeout(timer)
    return result
  }
  const expectCode = async (
    good: (code: number) => boolean,
    args: readonly string[],
    options?: RunOptions,
  ): Promise<Run> => {
    const result = await run(args, options)
    if (!good(result.code))
      throw new Error(`kubectl ${args.join(' ')}: exit code ${result.code}\n${result.stdout}${result.stderr}`)
    return result
  }
  const ok: Kubectl['ok'] = async (...args) => (await expectCode((code) => code === 0, args)).stdout
  return {
    namespace,
    run,
    ok,
    fails: async (...args) => (await expectCode((code) => code > 0, args)).stderr,
    create: async (...objects) =>
      (await expectCode((code) => code === 0, ['create', '-f', '-'], { input: listOf(...objects) })).stdout,
    refuses: async (object) => (await expectCode((code) => code > 0, ['create', '-f', '-'], { input: object })).stderr,
    get: async (...args) => JSON.parse(await ok('get', ...args, '-o', 'json')),
    start: (...args) => launch(args),
    until: async (text, ...args) => {
      const patience = { patienceMs: UNTIL_DEADLINE_MS, everyMs: LOOK_MS, what: `kubectl ${args.join(' ')}` }
      return (
        await eventually(
          () => run(args),
          ({ stdout }) => stdout.includes(text),
          patience,
        )
      ).stdout
    },
  }
}

/** The lines of a log that tell of an error. */
function errorsOf(log: string): readonly string[] {
  return log.split('\n').filter((line) => /"level":\s*("error"|"fatal"|[56]0)/.test(line))
}
