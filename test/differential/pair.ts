import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { parse } from 'yaml'
import { eventually } from '../eventually.ts'
import { shareServer } from '../share-server.ts'
import { type Allot, startAllot } from '../start-allot.ts'
import { comparable } from './comparable.ts'
import { differences } from './differences.ts'
import { type RealServer, type RealServerOptions, startRealServer } from './real-server.ts'
import type { Answered, Answers, Scenario, Step } from './scenario.ts'

/** The differences of the answers to the step of this index. */
interface Difference {
  readonly index: number
  readonly text: string
}

type ComparedServer = Pick<RealServer, 'url' | 'token'> & AsyncDisposable

async function shareReal(): Promise<ComparedServer> {
  const { giveBack, ...server } = await shareServer('real')
  return { ...server, [Symbol.asyncDispose]: giveBack }
}

const PATIENCE_MS = 10_000

/** A real API server and `allot up`, which get the same requests. */
export class Pair implements AsyncDisposable {
  readonly real: ComparedServer
  readonly allot: Allot
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 16, allowH2: false })
  #words = 0

  private constructor(real: ComparedServer, allot: Allot) {
    this.real = real
    this.allot = allot
  }

  /**
   * The namespaces of what is played stay: to delete one takes a real server longer than most of what is played in it. So what
   * plays much has a server of its own, which `options` asks for. Without `options` the real server is the one that all tests of a run share. */
  static async start(options?: RealServerOptions): Promise<Pair> {
    const [real, allot] = await Promise.all([
      options === undefined ? shareReal() : startRealServer(options),
      startAllot(),
    ])
    return new Pair(real, allot)
  }

  /** A word that no run used before, for names that are not in a namespace. */
  freshWord(): string {
    return `w${Date.now().toString(36)}${(this.#words++).toString(36)}`
  }

  /**
   * One line for each difference of each step that the listed ones (`known-differences.ts`) do not explain. A scenario that
   * shows any is played once more with other names, and what counts are steps that differ again: the real server learns of
   * definitions, webhooks and roles some time after they are written, and a machine under load makes that longer.
   */
  async play(scenario: Scenario): Promise<readonly string[]> {
    const first = await this.#playOnce(scenario)
    if (first.length === 0) return []
    const again = new Set((await this.#playOnce(scenario)).map(({ index }) => index))
    return first.filter(({ index }) => again.has(index)).map(({ text }) => text)
  }

  async #playOnce({ name, steps }: Scenario): Promise<readonly Difference[]> {
    const word = this.freshWord()
    const answers: [Record<string, Answered>, Record<string, Answered>] = [{}, {}]
    const namespace: Step = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: word } } }
    await this.both(namespace, word, answers)
    await this.furnished(word)
    const lines: Difference[] = []
    for (const [index, step] of steps.entries()) {
      const deadline = Date.now() + (step.eventually === true || step.method === 'GET' ? PATIENCE_MS : 0)
      let found: readonly string[]
      for (;;) {
        const [real, allot] = await this.both(step, word, answers)
        if (step.name !== undefined) {
          answers[0][step.name] = real
          answers[1][step.name] = allot
        }
        found = differences(comparable(real, word), comparable(allot, word), step)
        if ((found.length === 0 && step.until?.(real.body) !== false) || Date.now() > deadline) break
        await sleep(200)
      }
      lines.push(...found.map((line) => ({ index, text: `${name} #${index} ${step.method} ${step.path}: ${line}` })))
    }
    return lines
  }

  /** Sends one step to both; the real server's answer comes first. */
  both(step: Step, word: string, answers: readonly [Answers, Answers]): Promise<[Answered, Answered]> {
    return Promise.all([this.send(this.real, step, word, answers[0]), this.send(this.allot, step, word, answers[1])])
  }

  async send(
    place: { readonly url: string; readonly token: string },
    step: Step,
    word: string,
    answers: Answers = {},
  ): Promise<Answered> {
    const made: unknown =
      typeof step.body === 'function' ? (step.body as (answers: Answers) => unknown)(answers) : step.body
    const text = made === undefined ? undefined : typeof made === 'string' ? made : JSON.stringify(made)
    const response = await this.#agent.request({
      origin: place.url,
      method: step.method,
      path: (step.path + (step.query?.(answers) ?? '')).replaceAll('WORD', word),
      headers: {
        authorization: `Bearer ${place.token}`,
        accept: 'application/json',
        'user-agent': 'differential/1',
        ...(text === undefined ? {} : { 'content-type': step.type ?? 'application/json' }),
        ...step.headers,
      },
      body: text === undefined ? null : text.replaceAll('WORD', word),
    })
    const answer = await response.body.text()
    const warning = response.headers['warning'] ?? []
    const type = response.headers['content-type']
    return {
      code: response.statusCode,
      type: Array.isArray(type) ? type.join(', ') : (type ?? ''),
      warnings: Array.isArray(warning) ? warning : [warning],
      body: String(type).includes('yaml') ? parse(answer) : parsed(answer),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
    await this.allot.stop()
    await this.real[Symbol.asyncDispose]()
  }

  /** Resolves when both have given the namespace its account, so that pods can be created. */
  async furnished(word: string): Promise<void> {
    const account: Step = { method: 'GET', path: '/api/v1/namespaces/WORD/serviceaccounts/default' }
    const isThere = async (): Promise<boolean> => {
      const [real, allot] = await this.both(account, word, [{}, {}])
      const token = (real.body as { readonly secrets?: unknown }).secrets
      return real.code === 200 && token !== undefined && allot.code === 200
    }
    await eventually(isThere, Boolean, { patienceMs: 60_000, everyMs: 50, what: `the account of ${word}` })
  }
}

/** The JSON of an answer, or of each line of a watch, or else the text. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    try {
      return answer
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
    } catch {
      return answer
    }
  }
}
