import { Worker } from 'node:worker_threads'
import { parseJson } from '../../machinery/json-text.ts'
import { failure, tooManyRequests } from '../../machinery/status.ts'
import { duplicateYamlKeys, parseYaml, YamlTextError } from '../../machinery/yaml-text.ts'

export interface YamlTask {
  readonly text: string
  readonly withDuplicates: boolean
}

export type YamlReply =
  | { readonly json: string; readonly duplicates: readonly string[] }
  | { readonly error: { readonly message: string; readonly line: number; readonly column: number } }

export interface YamlValue {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/** Texts up to this many characters are read at once: some milliseconds. Longer ones would hold up everybody else. */
const INLINE_LENGTH = 16 * 1024
const DEADLINE_MS = 15_000
const MOST_AT_ONCE = 2
const MOST_WAITING = 16

/** Reads YAML texts, large ones in threads of their own, so that no text keeps the server from answering others. */
export class YamlReader {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Throws YamlTextError, 413 for a text that takes too long to read, and 429 when too many of them wait. */
  async read(task: YamlTask): Promise<YamlValue> {
    const { text, withDuplicates } = task
    if (text.length <= INLINE_LENGTH)
      return { value: parseYaml(text), duplicates: withDuplicates ? duplicateYamlKeys(text) : [] }
    await this.#turn()
    try {
      return valueOf(await readInThread(task))
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= MOST_AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw tooManyRequests('too many large YAML bodies are being read; send JSON, or try again', 1)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running++
  }
}

function valueOf(reply: YamlReply): YamlValue {
  if ('error' in reply) throw new YamlTextError(reply.error.message, reply.error.line, reply.error.column)
  return { value: parseJson(reply.json), duplicates: reply.duplicates }
}

function readInThread(task: YamlTask): Promise<YamlReply> {
  const worker = new Worker(new URL(`yaml-worker${import.meta.url.slice(-3)}`, import.meta.url), { workerData: task })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(failure(413, 'RequestEntityTooLarge', 'the YAML body takes too long to read; send it as JSON'))
      void worker.terminate()
    }, DEADLINE_MS)
    const settle = (finish: () => void): void => {
      clearTimeout(timer)
      finish()
    }
    worker.once('message', (reply: YamlReply) => settle(() => resolve(reply)))
    worker.once('error', (error) => settle(() => reject(error)))
    worker.once('exit', () =>
      settle(() => reject(failure(413, 'RequestEntityTooLarge', 'the YAML body could not be read; send it as JSON'))),
    )
  })
}
