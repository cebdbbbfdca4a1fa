import { type Dispatcher, Pool } from 'undici'
import type { KubeObject } from '../src/machinery/object.ts'
import type { Status } from '../src/machinery/status.ts'

/** Where a server is and how to be its administrator; `Allot` of start-allot.ts is one. */
export interface Place {
  readonly url: string
  readonly token: string
  readonly ca: string
}

export interface Reply {
  readonly code: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as an object; throws when it is not JSON. */
  readonly object: KubeObject
  readonly status: Status
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject
}

export interface RunningWatch {
  /** Resolves when the stream has ended, by whichever side; never rejects. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export const revisionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion)

/** Reads the whole answer. */
export async function replyOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Reply> {
  const text = await body.text()
  return {
    code: statusCode,
    headers,
    text,
    get object() {
      return JSON.parse(text) as KubeObject
    },
    get status() {
      return JSON.parse(text) as Status
    },
  }
}

/** A bare client that keeps its HTTPS connections and neither retries nor hides anything. */
export class ApiClient {
  readonly #place: Place
  readonly #pool: Pool

  constructor(place: Place, connections = 64) {
    this.#place = place
    this.#pool = new Pool(place.url, {
      connections,
      connect: { ca: place.ca },
      // Over HTTP/2 undici throws past all handlers when a server is killed.
      allowH2: false,
      bodyTimeout: 0,
      headersTimeout: 60_000,
    })
  }

  /** Sends text as it is and anything else as JSON. Rejects when the connection ends before the answer, or `signal` aborts. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    { type = 'application/json', signal }: { readonly type?: string; readonly signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const response = await this.#pool.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${this.#place.token}`,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
    return await replyOf(response)
  }

  patch(path: string, body: unknown, signal?: AbortSignal): Promise<Reply> {
    return this.send('PATCH', path, body, {
      type: 'application/merge-patch+json',
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** The objects of a collection and the revision at which they were listed. */
  async list(path: string): Promise<{ readonly revision: number; readonly items: readonly KubeObject[] }> {
    const { code, text } = await this.send('GET', path)
    if (code !== 200) throw new Error(`GET ${path}: ${code} ${text}`)
    const { metadata, items } = JSON.parse(text) as KubeObject & { readonly items: readonly KubeObject[] }
    return { revision: Number(metadata.resourceVersion), items }
  }

  /** Watches a collection from a revision over a connection of its own, from the moment that this resolves. */
  async watch(path: string, from: number, onEvent: (event: WatchEvent) => void): Promise<RunningWatch> {
    const pool = new Pool(this.#place.url, { connections: 1, connect: { ca: this.#place.ca }, bodyTimeout: 0 })
    const response = await pool.request({
      method: 'GET',
      path: `${path}?watch=1&resourceVersion=${from}`,
      headers: { authorization: `Bearer ${this.#place.token}` },
    })
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of response.body) {
        const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onEvent(JSON.parse(line) as WatchEvent)
      }
    }
    const ended = read().catch(() => undefined)
    return {
      ended,
      stop: async () => {
        await pool.destroy()
        await ended
      },
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }
}
