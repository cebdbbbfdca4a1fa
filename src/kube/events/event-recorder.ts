import { createHash } from 'node:crypto'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, hasCause, isAlreadyExists, isFinal, isNotFound } from '../../machinery/status.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { type Clock, pause } from '../time/clock.ts'
import { elsewhere, eventOf, EVENTS, type EventContent, eventContentKey, seriesField } from './event-object.ts'
import type { KubeClient } from '../client/kube-client.ts'

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>
  readonly clock: Clock
  readonly logger: Logger
  /** The controller's name, such as `allot`. */
  readonly component: string
  /** The name of its replica. */
  readonly instance: string
  /** The number of events to remember, sent or not; beyond it new ones are dropped while the oldest is not sent. */
  readonly limit?: number
}

/** An event that recurs within this time belongs to the same series, as in client-go. */
const SERIES_MS = 6 * 60_000
/** The second occurrence is reported at once, further ones together after this time. */
const GATHER_MS = 30_000
const LIMIT = 4096
/** About five minutes, with the waits of the work queue. */
const MOST_TRIES = 20
const STOP_MS = 2000

interface Address {
  readonly namespace: string
  readonly name: string
}

/** An event, and the part of it that was sent. */
interface Entry {
  /** The place of the Event in the API. */
  address: Address
  /** The Event, only while there is something to send: thousands of entries are remembered, and an Event takes two kilobytes. */
  event: KubeObject | undefined
  count: number
  /** Milliseconds since the epoch. */
  readonly firstAt: number
  /** Milliseconds since the epoch. */
  lastAt: number
  /** The same moment by the clock that does not jump. */
  seenAt: number
  sent: number
  created: boolean
  gathering: boolean
  tries: number
}

/**
 * Records Events. Never blocks and never fails its caller. It drops and counts an event that it cannot write. Then the server is away for
 * long or refuses it, or too much happens at a time.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #queue: WorkQueue
  /** The one that was seen last stands last. */
  readonly #entries = new Map<string, Entry>()
  readonly #limit: number
  #serial: number
  #dropped = 0
  /** The server has refused the usual namespace for events of what is in none. */
  #movesHomeless = false
  #stopped = false

  constructor(options: EventRecorderOptions) {
    const { clock, logger, limit = LIMIT } = options
    this.#options = options
    this.#limit = limit
    // Replicas that report on the same object in the same millisecond begin at different numbers.
    this.#serial = Math.floor(clock.random() * 1_000_000)
    this.#queue = new WorkQueue({
      work: (key, signal) => this.#send(key, signal),
      onError: (_, error) => logger.debug({ error }, 'an event could not be sent and is tried again'),
      workers: 2,
    })
  }

  /** How many events were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  record(content: EventContent): void {
    if (this.#stopped) return
    const { clock } = this.#options
    this.#forgetOld()
    const key = createHash('sha256').update(eventContentKey(content)).digest('base64')
    const known = this.#entries.get(key)
    if (known !== undefined && !this.#isOver(known)) return this.#again(key, known, content)
    this.#entries.delete(key)
    if (!this.#isFree()) {
      this.#drop(content.reason)
      return
    }
    const at = clock.now()
    const event = this.#eventOf(content, at)
    this.#entries.set(key, {
      address: addressOf(event),
      event,
      count: 1,
      firstAt: at,
      lastAt: at,
      seenAt: clock.monotonic(),
      sent: 0,
      created: false,
      gathering: false,
      tries: 0,
    })
    this.#queue.add(key)
  }

  /** Accepts no more events, and waits a moment for the queued ones. */
  async stop(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    for (const [key, { count, sent }] of this.#entries) if (sent < count) this.#queue.add(key)
    const cut = new AbortController()
    await Promise.race([this.#queue.whenIdle(), pause(this.#options.clock, STOP_MS, cut.signal)])
    cut.abort()
    await this.#queue.stop()
  }

  #eventOf(content: EventContent, at: number): KubeObject {
    const usual = eventOf(content, this.#options, at, this.#serial++)
    return (this.#movesHomeless ? elsewhere(usual) : undefined) ?? usual
  }

  #again(key: string, entry: Entry, content: EventContent): void {
    const { clock } = this.#options
    entry.event ??= { ...this.#eventOf(content, entry.firstAt), metadata: entry.address }
    entry.count++
    entry.lastAt = clock.now()
    entry.seenAt = clock.monotonic()
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (entry.count === 2) this.#queue.add(key)
    else this.#gather(key, entry)
  }

  #gather(key: string, entry: Entry): void {
    if (entry.gathering) return
    entry.gathering = true
    this.#queue.addAfter(key, GATHER_MS)
  }

  #forgetOld(): void {
    for (const [key, entry] of this.#entries) {
      if (!this.#isOver(entry)) return
      this.#entries.delete(key)
    }
  }

  /** Its last occurrence is reported and long ago: the next one is a new event. */
  #isOver({ seenAt, sent, count }: Entry): boolean {
    return sent === count && this.#options.clock.monotonic() - seenAt > SERIES_MS
  }

  #isFree(): boolean {
    if (this.#entries.size < this.#limit) return true
    for (const [key, { sent, count }] of this.#entries) {
      if (sent < count) return false
      this.#entries.delete(key)
      return true
    }
    return false
  }

  async #send(key: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.gathering = false
    const { address, event, count, lastAt } = entry
    if (event === undefined || entry.sent === count) return
    const { client } = this.#options
    const series = seriesField({ count, lastAt })
    try {
      if (entry.created) await client.patch(EVENTS, address, { type: 'merge', body: { ...series } }, { signal })
      else await client.create(EVENTS, { ...event, ...series }, { signal })
    } catch (error) {
      this.#failed(key, entry, event, error, signal)
      return
    }
    this.#done(key, entry, count)
  }

  #done(key: string, entry: Entry, count: number): void {
    entry.created = true
    entry.tries = 0
    entry.sent = count
    if (entry.count === count) entry.event = undefined
    if (entry.count > count) this.#gather(key, entry)
  }

  /** Throws what is to be tried again. */
  #failed(key: string, entry: Entry, event: KubeObject, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    entry.tries++
    if (entry.created && isNotFound(error)) {
      // Servers delete events after an hour: it is recorded as a new one.
      entry.created = false
      this.#queue.add(key)
    } else if (!entry.created && isAlreadyExists(error)) {
      // The answer to an earlier try was lost; a patch reports the count.
      this.#done(key, entry, 1)
    } else if (isMisplaced(error) && elsewhere(event) !== undefined) {
      this.#movesHomeless = true
      entry.event = elsewhere(event) ?? event
      entry.address = addressOf(entry.event)
      this.#queue.add(key)
    } else if (isNotFound(error) || hasCause(error, 'NamespaceTerminating')) {
      // A namespace that takes no objects any more takes no events either.
      this.#entries.delete(key)
    } else if (isFinal(error) || entry.tries >= MOST_TRIES) {
      this.#giveUp(key, entry)
      this.#options.logger.warn({ event, error }, 'an event could not be sent')
    } else throw error
  }

  #giveUp(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#dropped += entry.count - entry.sent
  }

  #drop(reason: string): void {
    this.#dropped++
    // Thousands of dropped events are logged once.
    if (Number.isInteger(Math.log2(this.#dropped)))
      this.#options.logger.warn(
        { reason, dropped: this.#dropped },
        'events are dropped because too many wait to be sent',
      )
  }
}

const addressOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): Address => ({ namespace, name })

const isMisplaced = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ field }) => field === 'involvedObject.namespace')
