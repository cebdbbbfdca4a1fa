import { slimMetadata } from '../../kube/cache/trim-object.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, textOf } from '../../machinery/read.ts'

/** Longer than any annotation that allot reads, and than any message that is shown. */
const LONGEST = 4096
/** Longer than all annotations together that allot reads. */
const LONGEST_ANNOTATIONS = 8192

/** A message of an Event that is longer than what is shown of it, so that it is seen to be cut. */
const LONGEST_OF_EVENT = 1025
const LONGEST_NAME = 254

/** What answers need of an object: of an Event what its row shows. Of others no managed fields, no applied configuration, and of long annotations and messages the beginning. */
export function shownPart<T extends KubeObject>(object: T): T {
  if (object.kind === EVENT) return eventPart(object)
  const slim = slimMetadata(object)
  const { annotations } = slim.metadata
  const message: unknown = slim['message']
  const shown = isLong(message) ? { ...slim, message: beginningOf(message) } : slim
  return annotations === undefined || sizeOf(annotations) <= LONGEST
    ? shown
    : { ...shown, metadata: { ...slim.metadata, annotations: shortened(annotations) } }
}

const EVENT = 'Event'

/** Tenants write Events, so of each a few kilobytes at most are kept, whatever else it has. */
function eventPart<T extends KubeObject>(event: T): T {
  const { namespace, name, uid, creationTimestamp } = event.metadata
  const fields: Readonly<Record<string, unknown>> = event
  const { count, series, firstTimestamp, lastTimestamp, eventTime } = fields
  const { kind, name: involved } = objectOf(fields['involvedObject'])
  const part = {
    apiVersion: event.apiVersion,
    kind: event.kind,
    metadata: { namespace, name, uid, creationTimestamp },
    involvedObject: { kind: cut(kind, LONGEST_NAME), name: cut(involved, LONGEST_NAME) },
    message: cut(fields['message'], LONGEST_OF_EVENT),
    count,
    series,
    firstTimestamp,
    lastTimestamp,
    eventTime,
  }
  return part as unknown as T
}

const cut = (text: unknown, most: number): string => beginningOf(textOf(text), most)

/** Orders Events, the last one seen first, and leaves other objects as they are. */
export function newestFirst(a: KubeObject, b: KubeObject): number {
  return a.kind === EVENT ? lastSeen(b) - lastSeen(a) : 0
}

function lastSeen({ metadata, ...event }: KubeObject): number {
  const { lastTimestamp, series, eventTime } = event
  const times = [lastTimestamp, objectOf(series)['lastObservedTime'], eventTime, metadata.creationTimestamp]
  return times.map((time) => Date.parse(textOf(time))).find((time) => !Number.isNaN(time)) ?? 0
}

type Annotations = Readonly<Record<string, string>>

const sizeOf = (annotations: Annotations): number =>
  Object.entries(annotations).reduce((sum, [name, text]) => sum + name.length + text.length, 0)

/** The shortest come first: many long ones take the place of none that allot reads. */
function shortened(annotations: Annotations): Annotations {
  let left = LONGEST_ANNOTATIONS
  const bySize = Object.entries(annotations).toSorted(([, a], [, b]) => a.length - b.length)
  return Object.fromEntries(
    bySize.flatMap(([name, text]) => {
      const short = isLong(text) ? beginningOf(text) : text
      left -= name.length + short.length
      return left < 0 ? [] : [[name, short]]
    }),
  )
}

const isLong = (text: unknown): text is string => typeof text === 'string' && text.length > LONGEST
/** A copy: a slice would keep the whole text. */
const beginningOf = (text: string, most = LONGEST): string => Buffer.from(text.slice(0, most)).toString()
