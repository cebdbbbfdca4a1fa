import { Worker } from 'node:worker_threads'
import type { Log, LogBatch, LogRow } from './log.ts'
import type { LogOptions } from './database.ts'
import type { LogFaults } from './faults.ts'
import type { LogReply, LogRequest, LogWorkerData } from './protocol.ts'
import { StoreError } from '../record/store-error.ts'

export interface OpenedLog {
  readonly log: Log
  /** The revision up to which superseded rows may be missing. */
  readonly floor: number
  /** The loss that was accepted. */
  readonly lost: string | undefined
  /** Every row, in revision order; to be read once, before the first append. */
  readonly rows: AsyncIterable<readonly LogRow[]>
}

/** Opens the log of a directory in a thread of its own. Rejects with StoreError. */
export async function openWorkerLog(directory: string, faults: LogFaults, options: LogOptions): Promise<OpenedLog> {
  const worker = new LogWorker({ directory, faults, options })
  const { floor = 0, lost } = await worker.answer()
  const log: Log = {
    append: async (batch: LogBatch) => {
      const { hasReserve = true } = await worker.ask({ type: 'append', batch })
      return { hasReserve }
    },
    takeReserve: async () => {
      const { hasReserve = true } = await worker.ask({ type: 'take-reserve' })
      return { hasReserve }
    },
    check: async () => void (await worker.ask({ type: 'check' })),
    close: async () => {
      try {
        await worker.ask({ type: 'close' })
      } finally {
        await worker.ended
      }
    },
  }
  return { log, floor, lost, rows: readRows(worker, log) }
}

/** Asks for the next chunk before the one at hand is used, so that reading and indexing overlap. */
async function* readRows(worker: LogWorker, log: Log): AsyncGenerator<readonly LogRow[], void, undefined> {
  let ahead = worker.ask({ type: 'read' })
  try {
    for (;;) {
      const { rows = [] } = await ahead
      if (rows.length === 0) return
      ahead = worker.ask({ type: 'read' })
      yield rows
    }
  } catch (error) {
    await log.close()
    throw error
  }
}

interface Waiting {
  readonly resolve: (reply: LogReply) => void
  readonly reject: (error: StoreError) => void
}

/** Requests to the worker and its answers, which come in the same order. */
class LogWorker {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  readonly ended: Promise<void>
  #gone: StoreError | undefined

  constructor(workerData: LogWorkerData) {
    // In the published package both files are JavaScript; the bundled name follows this file's.
    const entry = import.meta.url.endsWith('.ts') ? './log-worker.ts' : './log-worker.js'
    this.#worker = new Worker(new URL(entry, import.meta.url), { workerData, execArgv: [] })
    this.#worker.on('message', (reply: LogReply) => {
      const waiting = this.#waiting.shift()
      if (reply.error === undefined) waiting?.resolve(reply)
      else waiting?.reject(new StoreError(reply.error.code, reply.error.message))
    })
    this.#worker.on('error', (cause) => this.#end(cause))
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(undefined)
        resolve()
      })
    })
  }

  ask(request: LogRequest): Promise<LogReply> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    if (this.#gone === undefined) this.#worker.postMessage(request)
    return this.answer()
  }

  /** The next answer that nobody waits for yet. */
  answer(): Promise<LogReply> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #end(cause: unknown): void {
    this.#gone ??= new StoreError('failed', 'the thread that writes the store has ended', { cause })
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone)
  }
}
