// The heap of another process, asked over its inspector (`NODE_OPTIONS=--inspect=127.0.0.1:0`).
import { setTimeout as sleep } from 'node:timers/promises'

/** Objects that finalizers and weak references hold go with a later collection. */
const COLLECTIONS = 5
const BETWEEN_MS = 500

interface Reply {
  readonly id?: number
  readonly result?: { readonly usedSize?: number }
  readonly error?: { readonly message: string }
}

export class ProcessHeap {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #next = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply)
    })
  }

  /** `log`: what the process has written to its standard error, where Node writes the address of the inspector. */
  static async open(log: string): Promise<ProcessHeap> {
    const url = /^Debugger listening on (ws:\S+)$/m.exec(log)?.[1]
    if (url === undefined) throw new Error(`the process has no inspector\n${log}`)
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error(`the inspector at ${url} does not answer`)))
    })
    return new ProcessHeap(socket)
  }

  /** How many bytes are used when all garbage is collected. */
  async usedBytes(): Promise<number> {
    for (let at = 0; at < COLLECTIONS; at++) {
      await this.#ask('HeapProfiler.collectGarbage')
      await sleep(BETWEEN_MS)
    }
    return (await this.#ask('Runtime.getHeapUsage')).result?.usedSize ?? NaN
  }

  close(): void {
    this.#socket.close()
  }

  async #ask(method: string): Promise<Reply> {
    const id = ++this.#next
    const answer = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method }))
    const reply = await answer
    this.#waiting.delete(id)
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
    return reply
  }
}
