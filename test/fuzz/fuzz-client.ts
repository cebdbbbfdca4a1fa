import { Pool } from 'undici'
import { type Place, type Reply, replyOf } from '../api-client.ts'
import type { FuzzRequest } from './request-generator.ts'

/** A watch is left after so long. */
const WATCHED_MS = 50

/** Sends fuzzed requests as they are, over HTTP/1.1 or HTTP/2. */
export class FuzzClient {
  readonly #authorization: string
  readonly #http1: Pool
  readonly #http2: Pool

  constructor({ url, token, ca }: Place) {
    const options = { connect: { ca }, bodyTimeout: 0, headersTimeout: 0 }
    this.#authorization = `Bearer ${token}`
    this.#http1 = new Pool(url, { ...options, connections: 16, allowH2: false })
    this.#http2 = new Pool(url, { ...options, connections: 2, allowH2: true })
  }

  /** Undefined for a watch that had to be left. */
  async send({ method, path, headers, body, watch, http2 }: FuzzRequest): Promise<Reply | undefined> {
    const signal = watch ? AbortSignal.timeout(WATCHED_MS) : undefined
    try {
      const response = await (http2 ? this.#http2 : this.#http1).request({
        method,
        path,
        headers: { authorization: this.#authorization, ...headers },
        body: body ?? null,
        ...(signal === undefined ? {} : { signal }),
      })
      return await replyOf(response)
    } catch (error) {
      if (signal?.aborted === true) return undefined
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#http1.destroy(), this.#http2.destroy()])
  }
}
