import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ApiClient, type Reply } from '../api-client.ts'
import { type Allot, startAllot } from '../start-allot.ts'

/** How much more memory than after its warm-up the server may hold, whatever it was sent. */
const MAX_GROWTH_MB = 700

/** A watch that is not ready after so long hangs: half of the time of a test. The time itself is not tested. */
const HANGING_MS = 60_000
const NOTHING = /^$/

/** A server under fire, and what must hold of it all the time. */
export class WatchObserver {
  readonly allot: Allot
  readonly client: ApiClient
  readonly #startMb: number
  readonly #expected: RegExp
  #read = 0

  private constructor(allot: Allot, expected: RegExp) {
    this.allot = allot
    this.client = new ApiClient(allot)
    this.#startMb = this.memoryMb()
    this.#expected = expected
  }

  /** Lines of the log that match `expected` are allowed. */
  static async start(expected: RegExp = NOTHING): Promise<WatchObserver> {
    return new WatchObserver(await startAllot(), expected)
  }

  /** The resident memory of the server's process. */
  memoryMb(): number {
    return this.#statusMb(/^VmRSS:\s+(\d+) kB/m)
  }

  /** The most that it has been. */
  mostMemoryMb(): number {
    return this.#statusMb(/^VmHWM:\s+(\d+) kB/m)
  }

  #statusMb(line: RegExp): number {
    return Number(line.exec(readFileSync(`/proc/${this.allot.pid}/status`, 'utf8'))?.[1]) / 1024
  }

  /** Undefined when the server lives, answers, has not grown without bound and has logged nothing; else what is wrong. */
  async complaint(): Promise<string | undefined> {
    const signal = AbortSignal.timeout(HANGING_MS)
    try {
      const { code, text } = await this.client.send('GET', '/readyz', undefined, { signal })
      if (code !== 200) return `/readyz: ${code} ${text}`
    } catch (error) {
      return `/readyz: ${String(error)}`
    }
    const growth = this.memoryMb() - this.#startMb
    if (growth > MAX_GROWTH_MB) return `the server has grown by ${growth} MB`
    const logs = this.allot.logs()
    const end = logs.lastIndexOf('\n') + 1
    const added = logs.slice(this.#read, end)
    this.#read = end
    const lines = added.split('\n').filter((line) => line !== '' && !this.#expected.test(line))
    return lines.length === 0 ? undefined : lines.join('\n').slice(0, 2000)
  }

  async stop(): Promise<void> {
    await this.client.close()
    const code = await this.allot.stop()
    if (code !== 0) throw new Error(`allot ended with ${code}: ${this.allot.logs().slice(-2000)}`)
  }
}

/** The message of a defect of the server; upstream answers any other 500, too. */
const UNFORESEEN = /did not expect|^Internal error occurred$/

/** Returns the error of an answer to any request; undefined for a proper one. */
export function answerProblem(
  { code, headers, text }: Pick<Reply, 'code' | 'headers' | 'text'>,
  method: string,
): string | undefined {
  if (code < 400 || method === 'HEAD') return code >= 100 ? undefined : `code ${code}`
  if (code === 404 && text === '404 page not found\n') return undefined
  const type = String(headers['content-type'])
  if (type.startsWith('application/vnd.kubernetes.protobuf'))
    return text.startsWith('k8s\0') && text.includes('Status') ? undefined : `${code} as protobuf without a Status`
  let body: Readonly<Record<string, unknown>>
  try {
    body = (type.startsWith('application/yaml') ? parse(text) : JSON.parse(text)) as Readonly<Record<string, unknown>>
  } catch {
    return `${code} without a Status: ${text.slice(0, 300)}`
  }
  // As upstream: the answer for an unknown path lists the known ones.
  if (code === 404 && Array.isArray(body['paths'])) return undefined
  const proper =
    body['kind'] === 'Status' && body['apiVersion'] === 'v1' && body['status'] === 'Failure' && body['code'] === code
  if (code === 500 && UNFORESEEN.test(String(body['message']))) return `500: ${text.slice(0, 300)}`
  // As upstream: what its handlers did not foresee is an error without a reason.
  if (proper && code === 500 && body['reason'] === undefined && typeof body['message'] === 'string') return undefined
  if (!proper || typeof body['message'] !== 'string' || typeof body['reason'] !== 'string')
    return `${code} with an improper Status: ${text.slice(0, 300)}`
  if (!/^application\/(?:json|yaml)/.test(type)) return `${code} as ${type}`
  return undefined
}
