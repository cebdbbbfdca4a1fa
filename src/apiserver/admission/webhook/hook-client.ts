import { Agent, request as post } from 'undici'
import type { JsonObject } from '../../../machinery/object.ts'
import type { RequestDeadline } from '../../../runtime/time/request-deadlines.ts'
import { withoutUnguessableParts } from '../../../runtime/http/unguessable-part.ts'
import { afterRunning } from '../../../runtime/time/running-time.ts'
import { unlessAborted } from '../../../runtime/tasks/when-aborted.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { Hook, HookTarget } from './hook.ts'
import { HookCallError, type HookReply } from './hook-reply.ts'
import { networkError } from './network-error.ts'
import { serviceRoute } from './service-route.ts'

/** The largest answer of a webhook. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const CONNECTIONS_PER_HOOK = 64
const IDLE_MS = 30_000
/** Longer than any call may take, so that it ends only connections that nobody waits for any more. */
const CONNECT_MS = 60_000

/** Where a webhook is called, and the address that messages show to the client: nobody can call the webhook by it. */
interface Place {
  readonly url: string
  readonly shown: string
  readonly host?: string
  readonly servername?: string
}

/** Calls webhooks over kept connections, each within its own time and without a bearing on the others. */
export class HookClient {
  readonly #store: StoredObjects
  readonly #agents = new Map<string, Agent>()
  readonly #calls = new Set<AbortController>()
  #closed = false

  constructor(store: StoredObjects) {
    this.#store = store
  }

  /**
   * Posts a review and gives what was answered, whatever it is. It ends when the webhook's time is over, or that of the request
   * that the review is about. Throws HookCallError when nothing was answered.
   */
  async call(hook: Hook, review: JsonObject, request?: RequestDeadline): Promise<HookReply> {
    // Upstream sends the webhook the remaining time in whole seconds, rounded up.
    const timeout = `timeout=${Math.ceil(Math.min(hook.timeoutMs, request?.leftMs ?? Infinity) / 1000)}s`
    const place = this.#resolve(hook.target, timeout)
    const deadline = new AbortController()
    const { signal } = deadline
    this.#calls.add(deadline)
    if (this.#closed) deadline.abort()
    // An answer of a webhook while this process stood still came in time.
    const stopWaiting = afterRunning(hook.timeoutMs, () => deadline.abort())
    const stopListening = request?.whenOver(() => deadline.abort())
    try {
      // Undici hears of an abort only once it is connected, which a server that never answers a handshake keeps from happening.
      const asked = post(place.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
          ...(place.host === undefined ? {} : { host: place.host }),
        },
        body: JSON.stringify(review),
        dispatcher: this.#agent(hook.ca, place.servername),
        signal,
      })
      const { statusCode, headers, body } = await unlessAborted(asked, signal)
      const text = await limitedText(body, MAX_ANSWER_BYTES)
      // Of several, upstream takes the first.
      const [type = ''] = [headers['content-type'] ?? []].flat()
      return { code: statusCode, type, text }
    } catch (error) {
      if (signal.aborted) throw new HookCallError(`Post "${place.shown}": context deadline exceeded`)
      if (error instanceof HookCallError) throw error
      throw new HookCallError(`Post "${place.shown}": ${networkError(error)}`)
    } finally {
      stopWaiting()
      stopListening?.()
      this.#calls.delete(deadline)
    }
  }

  /** Gives up what is under way, and all later calls: a call that waits for a webhook must not keep the process from ending. */
  close(): void {
    this.#closed = true
    for (const call of this.#calls) call.abort()
    // Undici ends a connection only once it is made, which a server that never answers keeps from happening.
    for (const agent of this.#agents.values()) agent.destroy().catch(() => undefined)
  }

  #agent(ca: string | undefined, servername: string | undefined): Agent {
    const key = `${servername ?? ''}\n${ca ?? ''}`
    const known = this.#agents.get(key)
    if (known !== undefined) return known
    const agent = new Agent({
      connections: CONNECTIONS_PER_HOOK,
      keepAliveTimeout: IDLE_MS,
      // The deadline of the call bounds it, and does not pass while this process stands still.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: CONNECT_MS,
        ...(ca === undefined ? {} : { ca }),
        ...(servername === undefined ? {} : { servername }),
      },
    })
    this.#agents.set(key, agent)
    return agent
  }

  /** Throws HookCallError for a service that leads nowhere. */
  #resolve(target: HookTarget, query: string): Place {
    if ('url' in target) {
      const url = `${target.url}${target.url.includes('?') ? '&' : '?'}${query}`
      return { url, shown: withoutUnguessableParts(url) }
    }
    const { namespace, name, path, port } = target
    const servername = `${name}.${namespace}.svc`
    const shown = withoutUnguessableParts(`https://${servername}:${port}${path}?${query}`)
    try {
      const url = `https://${serviceRoute(this.#store, target)}${path}?${query}`
      return { url, shown, host: servername, servername }
    } catch (error) {
      throw error instanceof HookCallError ? new HookCallError(`Post "${shown}": ${error.message}`) : error
    }
  }
}

async function limitedText(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new HookCallError(`the answer is larger than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
