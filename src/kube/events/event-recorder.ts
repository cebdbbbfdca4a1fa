import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, hasCause, isAlreadyExists, isNotFound } from '../../machinery/status.ts'
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
  /** Which of its replicas. */
  readonly instance: string
  /** Happenings that are remembered, told or not; past it new ones are dropped while the oldest is not told. */
  readonly limit?: number
}

/** What happens again within this time is the same series, as in client-go. */
const SERIES_MS = 6 * 60_000
/** The second occurrence is reported at once, further ones together after this time. */
const GATHER_MS = 30_000
const LIMIT = 4096
/** About five minutes, with the waits of the work queue. */
const MOST_TRIES = 20
const STOP_MS = 2000

/** A happening and what the server knows of it. */
interface Telling {
  event: KubeObject
  count: number
  /** Milliseconds since the epoch. */
  lastAt: number
  /** The same moment by the clock that does not jump. */
  seenAt: number
  told: number
  created: boolean
  gathering: boolean
  tries: number
}

/**
 * Records Events. Never blocks and never fails its caller: an event that cannot be written, because the server is away
 * for long, refuses it, or too much happens at a time, is dropped and counted.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #queue: WorkQueue
  /** The one that was seen last stands last. */
  readonly #tellings = new Map<string, Telling>()
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
      work: (key, signal) => this.#tell(key, signal),
      onError: (_, error) => logger.debug({ error }, 'an event could not be told and is tried again'),
      workers: 2,
    })
  }

  /** How many events were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  record(happening: EventContent): void {
    if (this.#stopped) return
    const { clock } = this.#options
    this.#forgetOld()
    const key = eventContentKey(happening)
    const known = this.#tellings.get(key)
    if (known !== undefined && !this.#isOver(known)) return this.#again(key, known)
    this.#tellings.delete(key)
    if (!this.#hasRoom()) {
      this.#drop(happening.reason)
      return
    }
    const at = clock.now()
    const usual = eventOf(happening, this.#options, at, this.#serial++)
    const event = (this.#movesHomeless ? elsewhere(usual) : undefined) ?? usual
    const seenAt = clock.monotonic()
    this.#tellings.set(key, {
      event,
      count: 1,
      lastAt: at,
      seenAt,
      told: 0,
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
    for (const [key, { count, told }] of this.#tellings) if (told < count) this.#queue.add(key)
    const told = new AbortController()
    await Promise.race([this.#queue.whenIdle(), pause(this.#options.clock, STOP_MS, told.signal)])
    told.abort()
    await this.#queue.stop()
  }

  #again(key: string, telling: Telling): void {
    const { clock } = this.#options
    telling.count++
    telling.lastAt = clock.now()
    telling.seenAt = clock.monotonic()
    this.#tellings.delete(key)
    this.#tellings.set(key, telling)
    if (telling.count === 2) this.#queue.add(key)
    else this.#gather(key, telling)
  }

  #gather(key: string, telling: Telling): void {
    if (telling.gathering) return
    telling.gathering = true
    this.#queue.addAfter(key, GATHER_MS)
  }

  #forgetOld(): void {
    for (const [key, telling] of this.#tellings) {
      if (!this.#isOver(telling)) return
      this.#tellings.delete(key)
    }
  }

  /** Its last occurrence is reported and long ago: the next one is a new event. */
  #isOver({ seenAt, told, count }: Telling): boolean {
    return told === count && this.#options.clock.monotonic() - seenAt > SERIES_MS
  }

  #hasRoom(): boolean {
    if (this.#tellings.size < this.#limit) return true
    for (const [key, { told, count }] of this.#tellings) {
      if (told < count) return false
      this.#tellings.delete(key)
      return true
    }
    return false
  }

  async #tell(key: string, signal: AbortSignal): Promise<void> {
    const telling = this.#tellings.get(key)
    if (telling === undefined) return
    telling.gathering = false
    const { event, count, lastAt } = telling
    if (telling.told === count) return
    const { namespace = '', name = '' } = event.metadata
    const { client } = this.#options
    const series = seriesField({ count, lastAt })
    try {
      if (telling.created)
        await client.patch(EVENTS, { namespace, name }, { type: 'merge', body: { ...series } }, { signal })
      else await client.create(EVENTS, { ...event, ...series }, { signal })
    } catch (error) {
      this.#failed(key, telling, error, signal)
      return
    }
    this.#done(key, telling, count)
  }

  #done(key: string, telling: Telling, count: number): void {
    telling.created = true
    telling.tries = 0
    telling.told = count
    if (telling.count > count) this.#gather(key, telling)
  }

  /** Throws what is to be tried again. */
  #failed(key: string, telling: Telling, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    telling.tries++
    if (telling.created && isNotFound(error)) {
      // Servers delete events after an hour: it is recorded as a new one.
      telling.created = false
      this.#queue.add(key)
    } else if (!telling.created && isAlreadyExists(error)) {
      // The answer to an earlier try was lost; a patch reports the count.
      this.#done(key, telling, 1)
    } else if (isMisplaced(error) && elsewhere(telling.event) !== undefined) {
      this.#movesHomeless = true
      telling.event = elsewhere(telling.event) ?? telling.event
      this.#queue.add(key)
    } else if (isNotFound(error) || hasCause(error, 'NamespaceTerminating')) {
      // Where nothing can be any more there are no events either.
      this.#tellings.delete(key)
    } else if (isFinal(error) || telling.tries >= MOST_TRIES) {
      this.#giveUp(key, telling)
      this.#options.logger.warn({ event: telling.event, error }, 'an event could not be told')
    } else throw error
  }

  #giveUp(key: string, telling: Telling): void {
    this.#tellings.delete(key)
    this.#dropped += telling.count - telling.told
  }

  #drop(reason: string): void {
    this.#dropped++
    // Thousands of dropped events are logged once.
    if (Number.isInteger(Math.log2(this.#dropped)))
      this.#options.logger.warn(
        { reason, dropped: this.#dropped },
        'events are dropped because too many wait to be told',
      )
  }
}

const isMisplaced = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ field }) => field === 'involvedObject.namespace')

/** A refusal that would be the same the next time. */
function isFinal(error: unknown): boolean {
  const code = error instanceof ApiError ? error.status.code : 0
  return code >= 400 && code < 500 && code !== 401 && code !== 408 && code !== 429
}
