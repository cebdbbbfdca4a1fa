import type { KubeObject } from '../../machinery/object.ts'
import { failure, isNotFound } from '../../machinery/status.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { inLines } from '../../machinery/text/shown.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import type { EventDetails } from './details.ts'
import { EventCorrelation, Recent } from './correlation.ts'

/** Returns an Event about an object, as client-go's recorder makes it. `now`: milliseconds since the epoch. */
export function eventAbout(
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, message, component }: EventDetails,
  now: number,
): KubeObject {
  const { name = '', namespace = '', uid = '' } = metadata
  const time = timestamp(now)
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: {
      name: `${name}.${(BigInt(Math.trunc(now * 1000)) * 1000n).toString(16)}`,
      // Events of cluster-scoped objects go into the namespace `default`.
      namespace: namespace === '' ? 'default' : namespace,
    },
    involvedObject: { kind, ...(namespace === '' ? {} : { namespace }), name, uid, apiVersion },
    reason,
    message: inLines(message),
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  }
}

/** The Event that similar details go into, and its count. */
interface Recorded {
  readonly event: KubeObject
  readonly count: number
}

/** The serverContext that writing Events needs. */
export interface EventWriterOptions {
  readonly operations: Pick<ObjectOperations, 'create' | 'update'>
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly serverContext: Pick<ServerContext, 'now' | 'random'>
}

/** Writes Events to the store of this server; similar ones raise the count of one, as client-go's recorder does. */
export class EventWriter {
  readonly #options: EventWriterOptions
  readonly #correlation = new EventCorrelation()
  readonly #recorded = new Recent<Promise<Recorded | undefined>>()

  constructor(options: EventWriterOptions) {
    this.#options = options
  }

  /** Rejects as any write does: in a namespace that ends, there are no Events any more. */
  async record(about: KubeObject, details: EventDetails): Promise<void> {
    const { random, now: clock } = this.#options.serverContext
    const { key, message } = this.#correlation.of(about, details, clock())
    const event = eventAbout(about, { ...details, message }, clock() + random())
    const before = this.#recorded.get(key)
    const recording =
      before === undefined ? this.#create(event, 1) : before.then((recorded) => this.#again(recorded, event))
    this.#recorded.set(
      key,
      recording.catch(() => before),
    )
    await recording
  }

  async #again(recorded: Recorded | undefined, event: KubeObject): Promise<Recorded> {
    if (recorded === undefined) return await this.#create(event, 1)
    const { event: first } = recorded
    const count = recorded.count + 1
    const { message, lastTimestamp } = event
    try {
      const change = (current: KubeObject): KubeObject => ({ ...current, message, lastTimestamp, count })
      await this.#options.operations.update(this.#request(first, event), change, { wholeObject: false })
      return { event: first, count }
    } catch (error) {
      if (!isNotFound(error)) throw error
      return await this.#create({ ...first, message, lastTimestamp, count }, count)
    }
  }

  async #create(event: KubeObject, count: number): Promise<Recorded> {
    await this.#options.operations.create(this.#request(event, event), event)
    return { event, count }
  }

  #request({ metadata: { name = '', namespace = '' } }: KubeObject, { source }: KubeObject): ObjectRequest {
    const resource = this.#options.registry.ofBucket('events')
    if (resource === undefined) throw failure(404, 'NotFound', 'events are not served')
    const caller = systemCaller(textOf(objectOf(source).component))
    return { resource, namespace, name, subresource: '', caller, dryRun: false }
  }
}
