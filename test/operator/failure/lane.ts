import type { Answer } from '../../start-allot.ts'
import type { BareServer } from '../operated.ts'
import { soak } from '../../seeded-random.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'

/** The objects that a lane of the load makes, all alike, and the quota that counts them. */
export interface LaneOptions {
  readonly name: string
  /** The collection. */
  readonly path: string
  readonly object: (name: string) => object
  /** So many objects fit. Infinity: whatever is created is stored. */
  readonly limit: number
  /** On a real API server Kubernetes itself decides, whose controller may give away the room of requests in flight. */
  readonly isKubernetes?: boolean
  /** The words of the quota's refusal. */
  readonly refusal?: string
  /** So many objects each client wants. */
  readonly wanted: number
}

const CLIENTS = 2
/** The least time between two requests of a client. */
const PACE_MS = soak ? 40 : 200
const TRIES = 400
const SHOWN = 500

/** An answer that no user must get. */
export type Wrong = string

/** Clients that create and delete objects of one kind, at the limit of its quota. */
export class Lane implements AsyncDisposable {
  readonly options: LaneOptions
  readonly #server: BareServer
  readonly #watch: StormWatch
  #count = 0
  stored = 0
  refused = 0
  /** Requests that were to be sent again. */
  asked = 0
  readonly failed: string[] = []
  readonly wrong: Wrong[] = []

  static async open(server: BareServer, options: LaneOptions): Promise<Lane> {
    return new Lane(server, options, await StormWatch.start(server, options.path))
  }

  private constructor(server: BareServer, options: LaneOptions, watch: StormWatch) {
    this.#server = server
    this.options = options
    this.#watch = watch
  }

  /** Creates and deletes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#client(signal)))
  }

  /** Deletes all, then creates as many as fit, and one more if the quota is exact: gives what is not as it has to be. */
  async healed(isExact: boolean): Promise<readonly Wrong[]> {
    const { path, limit, wanted } = this.options
    const { json } = await this.#server.send('GET', path)
    for (const { metadata } of json.items)
      if (this.#isOwn(metadata.name)) await this.#until(() => this.#delete(metadata.name), [200, 202, 404])
    const fitting = limit === Infinity ? wanted : limit
    for (let n = 0; n < fitting; n++) await this.#until(() => this.#create(this.#nextName()), [201])
    if (limit === Infinity || !isExact) return []
    const { status, text } = await this.#until(() => this.#create(this.#nextName()), [201, 403])
    return status === 403 ? [] : [`one more than fits in ${this.options.name} was ${status} ${text.slice(0, SHOWN)}`]
  }

  /** The most objects at any time. */
  async mostAtOnce(): Promise<number> {
    const stored = new Set<string>()
    let most = 0
    for (const { type, object } of await this.#watch.caughtUp()) {
      const { name = '' } = object.metadata
      if (!this.#isOwn(name)) continue
      if (type === 'DELETED') stored.delete(name)
      else stored.add(name)
      most = Math.max(most, stored.size)
    }
    return most
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]()
  }

  async #client(signal: AbortSignal): Promise<void> {
    const mine: string[] = []
    while (!signal.aborted) {
      const began = performance.now()
      const oldest = mine[0]
      if (oldest !== undefined && mine.length >= this.options.wanted) {
        if (this.#judge(await this.#delete(oldest), [200, 202, 404])) mine.shift()
      } else {
        const name = this.#nextName()
        const answer = await this.#create(name)
        // Of a request without a proper answer nobody knows whether it was done.
        if (answer.status === 201 || !this.#judge(answer, [201])) mine.push(name)
        if (answer.status === 201) this.stored++
        const full = mine[0]
        if (this.#isRefusal(answer) && full !== undefined)
          if (this.#judge(await this.#delete(full), [200, 202, 404])) mine.shift()
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + PACE_MS - performance.now())))
    }
  }

  #isRefusal({ status, text }: Answer): boolean {
    const { refusal, limit } = this.options
    return limit < Infinity && refusal !== undefined && status === 403 && text.includes(refusal)
  }

  /** Notes what an answer is; true where the request was done or refused for good. */
  #judge(answer: Answer, done: readonly number[]): boolean {
    const { status, text } = answer
    if (done.includes(status)) return true
    if (this.#isRefusal(answer)) this.refused++
    else if (status === 429 && answer.headers['retry-after'] !== undefined) this.asked++
    // Kubernetes' own plugin says so where many writes change one quota.
    else if (status === 409 && text.includes('on resourcequotas')) this.asked++
    else if (status === 0 || status >= 500) this.failed.push(`${status} ${text}`)
    else this.wrong.push(`${this.options.name}: ${status} ${text}`)
    return status === 403
  }

  async #until(send: () => Promise<Answer>, statuses: readonly number[]): Promise<Answer> {
    let answer = await send()
    for (let n = 0; !statuses.includes(answer.status); n++) {
      if (n > TRIES) throw new Error(`${this.options.name} does not heal: ${answer.status} ${answer.text}`)
      await new Promise((resolve) => setTimeout(resolve, 4 * PACE_MS))
      answer = await send()
    }
    return answer
  }

  /** Servers make objects in namespaces, too. */
  #isOwn(name: string): boolean {
    return name.startsWith(`${this.options.name}-`)
  }

  #nextName(): string {
    return `${this.options.name}-${this.#count++}`
  }

  #create(name: string): Promise<Answer> {
    const { path, object } = this.options
    return this.#send('POST', path, object(name))
  }

  #delete(name: string): Promise<Answer> {
    return this.#send('DELETE', `${this.options.path}/${name}`)
  }

  /** Status 0: without an answer. A server that was just started does not know its definitions yet, and says so in plain text. */
  async #send(method: string, path: string, body?: object): Promise<Answer> {
    try {
      const answer = await this.#server.send(method, path, body)
      return answer.status === 404 && typeof answer.json !== 'object' ? { ...answer, status: 0 } : answer
    } catch (error) {
      return { status: 0, headers: {}, text: String(error), json: {} }
    }
  }
}
