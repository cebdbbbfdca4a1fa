import { signal } from '@preact/signals'
import { backoffMs } from './backoff.ts'
import { scopedPath } from './scoped-path.ts'
import { AnswerError, type Server } from './server.ts'
import { SseParser, type StreamEvent } from './sse-parser.ts'

/** Does the page hear of changes? `again`: when it is tried next; the server itself tries on where there is none. */
export type LiveState =
  | { readonly is: 'connecting' | 'live' }
  | { readonly is: 'not live'; readonly why: string; readonly again?: Date }

const CONNECTING: LiveState = { is: 'connecting' }
const REFUSED = 'You may not watch any of the kinds that are shown here.'
const UNREACHABLE = 'The API server does not answer.'
const BROKEN_OFF = 'The connection broke off.'
/** The server sends something every 15 seconds. A server that hangs, and a network that is gone, close no connection. */
const LONGEST_SILENCE_MS = 40_000
const SILENT = 'The dashboard has sent nothing for 40 seconds.'

interface Watching {
  readonly kinds: readonly { readonly state: 'watched' | 'refused' | 'unreachable' }[]
}
interface Change {
  readonly changes: readonly { readonly resource: string }[]
}
type Listener = (resources: readonly string[], isOwn: boolean) => void

/** Follows the event stream of a namespace, or of all, and comes back when it breaks off. */
export class Live {
  readonly state = signal<LiveState>(CONNECTING)
  readonly #listeners = new Set<Listener>()
  readonly #onUnknownToken: () => void
  #following = new AbortController()
  #namespace: string | undefined
  /** Has it heard nothing for a while, although it follows a namespace? */
  #isResting = false

  constructor(onUnknownToken: () => void) {
    this.#onUnknownToken = onUnknownToken
  }

  /** Follows this namespace from now on, and no other; empty: all. */
  follow(server: Server, namespace: string): void {
    const isSame = namespace === this.#namespace
    if (isSame && !this.#isResting) return
    this.stop()
    this.#namespace = namespace
    this.#following = new AbortController()
    void this.#run(server, namespace, this.#following.signal, isSame)
  }

  /** Hears nothing until it is told again what to follow. A browser opens few connections to a server, for all its tabs together. */
  rest(): void {
    this.#following.abort()
    this.#isResting = true
    this.state.value = CONNECTING
  }

  stop(): void {
    this.#following.abort()
    this.#isResting = false
    this.#namespace = undefined
    this.state.value = CONNECTING
  }

  /** The viewer has changed something, and waits for it. */
  changed(): void {
    for (const listener of this.#listeners) listener([], true)
  }

  /** Calls back with the resources that have changed, an empty list: any may have, and whether the viewer did it. Returns what ends that. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Never rejects. */
  async #run(server: Server, namespace: string, over: AbortSignal, hasRested: boolean): Promise<void> {
    const path = scopedPath('/api/v1/events', namespace)
    let failures = 0
    let hasMissed = hasRested
    while (!over.aborted) {
      let why = BROKEN_OFF
      const silence = new Silence(LONGEST_SILENCE_MS)
      const signal = AbortSignal.any([over, silence.signal])
      try {
        const stream = await server.open(path, signal)
        // What happened meanwhile was not told.
        if (hasMissed) this.#tell([])
        hasMissed = true
        failures = 0
        await this.#read(stream, signal, () => silence.heard())
      } catch (error) {
        if (over.aborted) return
        if (error instanceof AnswerError && error.code === 401) return this.#onUnknownToken()
        if (error instanceof AnswerError) why = error.message
      } finally {
        silence.end()
      }
      if (over.aborted) return
      if (silence.signal.aborted) why = SILENT
      failures++
      const pauseMs = backoffMs(failures, Math.random())
      this.state.value = { is: 'not live', why, again: new Date(Date.now() + pauseMs) }
      await pause(pauseMs, over)
    }
  }

  async #read(stream: ReadableStream<Uint8Array>, over: AbortSignal, heard: () => void): Promise<void> {
    const parser = new SseParser()
    const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
    over.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true })
    for (;;) {
      const { done, value } = await reader.read()
      if (done || over.aborted) return
      heard()
      for (const event of parser.push(value)) this.#happened(event)
    }
  }

  #happened({ name, data }: StreamEvent): void {
    if (name === 'end') return this.#onUnknownToken()
    if (name === 'watching') {
      const { kinds } = JSON.parse(data) as Watching
      const has = (wanted: string): boolean => kinds.some(({ state }) => state === wanted)
      const why = has('unreachable') ? UNREACHABLE : REFUSED
      this.state.value = has('watched') ? { is: 'live' } : { is: 'not live', why }
    }
    if (name === 'change') this.#tell((JSON.parse(data) as Change).changes.map(({ resource }) => resource))
  }

  #tell(resources: readonly string[]): void {
    for (const listener of this.#listeners) listener(resources, false)
  }
}

const pause = (ms: number, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    over.addEventListener('abort', end, { once: true })
  })

/** Aborts when nothing has been heard for so long. */
class Silence {
  readonly #most: number
  readonly #over = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(mostMs: number) {
    this.#most = mostMs
    this.heard()
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  heard(): void {
    this.end()
    this.#timer = setTimeout(() => this.#over.abort(), this.#most)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
