import { Worker } from 'node:worker_threads'
import { parseJson } from '../../machinery/json-text.ts'
import { type ApiError, badRequest, failure, tooManyRequests } from '../../machinery/status.ts'
import { readYaml, type YamlContent, YamlTextError } from '../../machinery/yaml/text.ts'

export interface YamlTask {
  readonly text: string
  readonly withDuplicates: boolean
}

/** A request that waits for a text, until its time is over or its client leaves. */
export interface YamlAsker {
  readonly isAwaited: boolean
}

export type YamlReply =
  | { readonly json: string; readonly duplicates: readonly string[] }
  | { readonly isTooLong: true }
  | { readonly error: { readonly message: string; readonly line: number; readonly column: number } }

/** The bounds of one text: its memory, in MiB, and its CPU time, however busy the machine is. */
export interface YamlBounds {
  readonly heap: number
  readonly cpuMs: number
}

/** Texts up to this many characters are read at once: some milliseconds. Longer ones would hold up everybody else. */
const INLINE_LENGTH = 16 * 1024
/** A CRD of 3 MiB takes 250 MiB, one of nothing but the shortest items 620; 1.5 million numbers take over 1 GiB. */
const BOUNDS: YamlBounds = { heap: 768, cpuMs: 15_000 }
/** How often it is looked what a text has taken. */
const LOOK_MS = 250
const MOST_WAITING = 16
const PATIENT: YamlAsker = { isAwaited: true }

/**
 * Reads YAML texts, large ones in a thread of their own, so that no text keeps the server from answering others. One large
 * text is read at a time, within bounds, and its thread ends with it: what all of them take together is what one may take.
 */
export class YamlReader {
  readonly #bounds: YamlBounds
  #isReading = false
  readonly #waiting: (() => void)[] = []

  constructor(bounds: YamlBounds = BOUNDS) {
    this.#bounds = bounds
  }

  /**
   * Throws YamlTextError, 413 for a text that takes too long or too much memory to read, and 429 when too many wait. A text that
   * nobody waits for any more is not read, or not to its end.
   */
  async read(task: YamlTask, asker: YamlAsker = PATIENT): Promise<YamlContent> {
    const { text, withDuplicates } = task
    if (text.length <= INLINE_LENGTH) return readYaml(text, withDuplicates)
    await this.#turn()
    if (!asker.isAwaited) {
      this.#next()
      throw forNobody()
    }
    const { reply, ended } = this.#start(task, asker)
    // Before the thread is gone its memory is not free for the next.
    void ended.then(() => this.#next())
    return valueOf(await reply)
  }

  #start(task: YamlTask, asker: YamlAsker): Reading {
    try {
      return readInThread(task, this.#bounds, asker)
    } catch (error) {
      this.#next()
      throw error
    }
  }

  /** The turn goes to the request that has waited longest. */
  #next(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isReading = false
    else next()
  }

  async #turn(): Promise<void> {
    if (!this.#isReading) {
      this.#isReading = true
      return
    }
    if (this.#waiting.length >= MOST_WAITING)
      throw tooManyRequests('too many large YAML bodies are being read; send JSON, or try again', 1)
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

function valueOf(reply: YamlReply): YamlContent {
  if ('isTooLong' in reply) throw tooLarge('has too many values and characters of syntax')
  if ('error' in reply) throw new YamlTextError(reply.error.message, reply.error.line, reply.error.column)
  return { value: parseJson(reply.json), duplicates: reply.duplicates }
}

const tooLarge = (why: string): ApiError =>
  failure(413, 'RequestEntityTooLarge', `the YAML body ${why}; send it as JSON`)

const forNobody = (): ApiError => badRequest('the request ended before its YAML body was read')

interface Reading {
  readonly reply: Promise<YamlReply>
  /** The end of the thread, whatever it replied. */
  readonly ended: Promise<void>
}

function readInThread(task: YamlTask, { heap, cpuMs }: YamlBounds, asker: YamlAsker): Reading {
  const worker = new Worker(new URL(`yaml-worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heap },
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const reply = new Promise<YamlReply>((resolve, reject) => {
    const look = async (): Promise<void> => {
      const { user, system } = await worker.cpuUsage()
      if (asker.isAwaited && (user + system) / 1000 < cpuMs) return
      reject(asker.isAwaited ? tooLarge('takes too long to read') : forNobody())
      await worker.terminate()
    }
    // A thread that ends meanwhile has reported the result of the text.
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS)
    worker.once('message', resolve)
    worker.once('error', (error) => reject(isOutOfMemory(error) ? tooLarge('takes too much memory to read') : error))
    worker.once('exit', () => {
      clearInterval(timer)
      reject(tooLarge('could not be read'))
    })
  })
  return { reply, ended }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
