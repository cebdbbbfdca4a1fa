import { Agent } from 'undici'
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { BareServer } from '../../operator/operated.ts'

export interface StormEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
}

const REST_MS = 50

/** Sees every event of a collection from its beginning on, in the order of revisions. One that was missed is an error. */
export class StormWatch implements AsyncDisposable {
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false }, bodyTimeout: 0 })
  readonly #abort = new AbortController()
  readonly #server: BareServer
  readonly #path: string
  readonly #events: StormEvent[] = []
  #version = ''
  #gap: string | undefined
  #following: Promise<void> = Promise.resolve()

  static async start(server: BareServer, path: string): Promise<StormWatch> {
    const watch = new StormWatch(server, path)
    const { json } = await server.send('GET', path)
    const [apiVersion, kind] = [json.apiVersion, String(json.kind).replace(/List$/, '')]
    for (const item of json.items) watch.#events.push({ type: 'ADDED', object: { apiVersion, kind, ...item } })
    watch.#version = json.metadata.resourceVersion
    watch.#following = watch.#follow()
    return watch
  }

  private constructor(server: BareServer, path: string) {
    this.#server = server
    this.#path = path
  }

  /** Resolves with all events, among them every one of what was stored before the call. Rejects where one was missed. */
  async caughtUp(): Promise<readonly StormEvent[]> {
    const { json } = await this.#server.send('GET', this.#path)
    const items: readonly KubeObject[] = json.items
    const newest = Math.max(0, ...items.map(({ metadata }) => Number(metadata.resourceVersion)))
    const deadline = performance.now() + 20_000
    while (Number(this.#version) < newest && this.#gap === undefined) {
      if (performance.now() > deadline) throw new Error(`the watch of ${this.#path} does not come to ${newest}`)
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
    }
    if (this.#gap !== undefined) throw new Error(`the watch of ${this.#path} has missed events: ${this.#gap}`)
    return this.#events
  }

  /** Returns the most objects that were stored at the same time. */
  async mostAtOnce(): Promise<number> {
    let stored = 0
    let most = 0
    for (const { type } of await this.caughtUp()) {
      stored += type === 'ADDED' ? 1 : type === 'DELETED' ? -1 : 0
      most = Math.max(most, stored)
    }
    return most
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await this.#following
    await this.#agent.destroy()
  }

  async #follow(): Promise<void> {
    while (!this.#abort.signal.aborted && this.#gap === undefined) {
      try {
        await this.#watch()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, REST_MS))
      }
    }
  }

  async #watch(): Promise<void> {
    const { url, token } = this.#server
    const { statusCode, body } = await this.#agent.request({
      origin: url,
      path: `${this.#path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#version}`,
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
      signal: this.#abort.signal,
    })
    if (statusCode === 410) this.#gap = await body.text()
    if (statusCode !== 200) throw new Error(String(statusCode))
    let rest = ''
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { type, object } = JSON.parse(line)
        if (type === 'ERROR') this.#gap = line
        if (type === 'ERROR') return
        if (type !== 'BOOKMARK') this.#events.push({ type, object })
        this.#version = object.metadata.resourceVersion
      }
    }
  }
}
