import { HeldAnswers } from './held-answers.ts'
import { warningTexts } from './warning-texts.ts'

/** An answer that is no success, in the words of the API server where it has said some. */
export class AnswerError extends Error {
  readonly code: number
  readonly warnings: readonly string[]
  override name = 'AnswerError'

  constructor(code: number, message: string, warnings: readonly string[] = []) {
    super(message)
    this.code = code
    this.warnings = warnings
  }
}

export interface CreatedObject {
  readonly kind: string
  readonly metadata: { readonly namespace: string; readonly name: string }
}

/** What has become of an object that was sent. */
export interface Created {
  readonly object: CreatedObject
  readonly warnings: readonly string[]
}

const UNREACHABLE = 'The dashboard cannot be reached.'
const PATIENCE_MS = 60_000

/** Asks the server of the page as the bearer of one token, which it keeps in memory only. */
export class Server {
  /** What it has answered: it goes with the token. */
  readonly held = new HeldAnswers()
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  /** `isOpening`: there is nothing to show yet, so the server lets it wait for no rest. Rejects with AnswerError; code 0 where nothing was answered. */
  async get<T>(path: string, signal?: AbortSignal, isOpening = false): Promise<T> {
    const headers: Record<string, string> = isOpening ? { 'allot-opens-view': 'true' } : {}
    const answer = await this.#ask(path, { method: 'GET', headers }, signal)
    return (await answer.json()) as T
  }

  /** Gives the object as the API server has created it, or would, with its warnings. Rejects with AnswerError. */
  async create(path: string, object: object): Promise<Created> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#ask(path, { method: 'POST', headers, body: JSON.stringify(object) })
    return { object: (await answer.json()) as CreatedObject, warnings: warningsOf(answer) }
  }

  /** An event stream. Rejects with AnswerError. */
  async open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#ask(path, { method: 'GET', headers: { accept: 'text/event-stream' } }, signal, 'open')
    if (body === null) throw new AnswerError(0, UNREACHABLE)
    return body
  }

  async #ask(path: string, init: RequestInit, signal?: AbortSignal, kind?: 'open'): Promise<Response> {
    const signals = [
      ...(signal === undefined ? [] : [signal]),
      ...(kind === 'open' ? [] : [AbortSignal.timeout(PATIENCE_MS)]),
    ]
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${this.#token}`)
    const options: RequestInit = { ...init, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' }
    const answer = await fetch(path, { ...options, signal: AbortSignal.any(signals) }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw new AnswerError(0, UNREACHABLE)
    })
    if (!answer.ok) throw new AnswerError(answer.status, await messageOf(answer), warningsOf(answer))
    return answer
  }
}

const warningsOf = ({ headers }: Response): readonly string[] => warningTexts(headers.get('warning') ?? '')

async function messageOf(answer: Response): Promise<string> {
  const status: unknown = await answer.json().catch(() => undefined)
  const isStatus = typeof status === 'object' && status !== null && 'message' in status
  return isStatus && typeof status.message === 'string' ? status.message : `The dashboard answered ${answer.status}.`
}
