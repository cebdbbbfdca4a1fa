import { mustCreate } from '../arena.ts'
import type { Reply } from '../api-client.ts'
import { answerProblem, WatchObserver } from '../fuzz/watch-observer.ts'
import { growthIn, leastCpuTimeIn, mainThreadMs } from '../growth.ts'

/** How much longer a bomb may take than an ordinary request of its kind; without a guard it would take for ever. */
const MOST_TIMES = 5000
/** How much longer ten times the size may take: a little more than ten times; quadratic work would take a hundred. */
export const MOST_GROWTH = 50

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Where bombs are thrown at a server: every answer must be a proper one, in bounded time, and the server must go on. */
export class Range {
  readonly observer: WatchObserver
  /** The path of a namespace of its own. */
  readonly namespace: string
  #defined = 0

  private constructor(observer: WatchObserver, namespace: string) {
    this.observer = observer
    this.namespace = namespace
  }

  /** Lines of the log that match `expected` are allowed. */
  static async start(expected?: RegExp): Promise<Range> {
    const observer = await WatchObserver.start(expected)
    await mustCreate(observer.client, '/api/v1/namespaces', { metadata: { name: 'range' } })
    return new Range(observer, '/api/v1/namespaces/range')
  }

  /** Fails for a malformed answer. */
  async send(method: string, path: string, body?: unknown, type?: string): Promise<Reply> {
    const reply = await this.observer.client.send(method, path, body, type === undefined ? {} : { type })
    const problem = answerProblem(reply, method)
    if (problem !== undefined) throw new Error(`${method} ${path}: ${problem}`)
    return reply
  }

  /** Sends the bomb and gives its answer; fails when it takes the server beyond all measure longer than the ordinary request. */
  async bounded<T>(bomb: () => Promise<T>, ordinary: () => Promise<unknown>): Promise<T> {
    const { pid } = this.observer.allot
    const usual = await leastCpuTimeIn(pid, ordinary, 3)
    const before = mainThreadMs(pid)
    const reply = await bomb()
    const times = (mainThreadMs(pid) - before) / usual
    if (times > MOST_TIMES) throw new Error(`it took ${times.toFixed(0)} times as long as an ordinary request`)
    return reply
  }

  /** How much longer a request of ten times the size takes the server. */
  growth(shot: (size: number) => Promise<unknown>, size: number): Promise<number> {
    return growthIn(this.observer.allot.pid, shot, size, 10)
  }

  /** Defines a kind with this schema; gives the answer, and the path of its objects in the namespace. */
  async define(
    schema: object,
    version: object = {},
  ): Promise<{ readonly reply: Reply; readonly objects: string; readonly kind: string }> {
    const name = `bomb${this.#defined++}`
    const kind = name.replace('b', 'B')
    const reply = await this.send('POST', DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${name}s.range.test` },
      spec: {
        group: 'range.test',
        scope: 'Namespaced',
        names: { plural: `${name}s`, singular: name, kind, listKind: `${kind}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      },
    })
    return { reply, kind, objects: `/apis/range.test/v1/namespaces/range/${name}s` }
  }

  /** As `define`, in bounded time. */
  async defineBounded(schema: object, version: object = {}): ReturnType<Range['define']> {
    let defined: Awaited<ReturnType<Range['define']>> | undefined
    await this.bounded(
      async () => (defined = await this.define(schema, version)).reply,
      () => this.define({ type: 'object' }),
    )
    if (defined === undefined) throw new Error('nothing was defined')
    return defined
  }

  /** The end of all that was defined. Fails when the observer has a complaint. */
  async tidy(): Promise<void> {
    const { text } = await this.send('GET', DEFINITIONS)
    for (const { metadata } of (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items)
      await this.send('DELETE', `${DEFINITIONS}/${metadata.name}`)
    const complaint = await this.observer.complaint()
    if (complaint !== undefined) throw new Error(complaint)
  }

  stop(): Promise<void> {
    return this.observer.stop()
  }
}

/** A schema whose `spec` is this. */
export const specOf = (spec: object): object => ({ type: 'object', properties: { spec } })
export const rulesOf = (...rules: readonly string[]): object => ({
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
