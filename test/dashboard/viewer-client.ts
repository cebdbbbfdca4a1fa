import { Agent, type Dispatcher } from 'undici'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
type Json = any

export interface DashboardAnswer {
  readonly code: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly text: string
  readonly json: Json
}

/** A request to the dashboard; `token` null: without one. */
export interface Asked {
  readonly method?: string
  readonly path: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What a page has been told so far. */
export interface OpenStream {
  readonly text: () => string
  /** The data of all events of a name. */
  readonly events: (name: string) => readonly Json[]
  /** Resolves when the dashboard has ended it. */
  readonly ended: Promise<void>
  readonly close: () => void
}

/** A client of the dashboard of a server that keeps nothing of its viewers. */
export class ViewerClient implements AsyncDisposable {
  readonly #url: () => string
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } })

  constructor(url: () => string) {
    this.#url = url
  }

  async ask({ method = 'GET', path, token = null, headers = {}, body }: Asked): Promise<DashboardAnswer> {
    const answer = await this.#agent.request({
      origin: this.#url(),
      path,
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.body.text()
    return {
      code: answer.statusCode,
      headers: answer.headers,
      text,
      get json() {
        return JSON.parse(text)
      },
    }
  }

  /** Opens a stream of a namespace, or of all. Rejects where it is refused. */
  async open(token: string, namespace = ''): Promise<OpenStream> {
    const leaving = new AbortController()
    const answer = await this.#agent.request({
      origin: this.#url(),
      path: `/api/v1/events?namespace=${namespace}`,
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      signal: leaving.signal,
      bodyTimeout: 0,
    })
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${await answer.body.text()}`)
    let text = ''
    const ended = (async () => {
      for await (const chunk of answer.body) text += String(chunk)
    })().catch(() => undefined)
    return {
      text: () => text,
      events: (name) =>
        [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].flatMap(([, event, data = '']) =>
          event === name ? [JSON.parse(data)] : [],
        ),
      ended,
      close: () => leaving.abort(),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }
}
