import { createHash } from 'node:crypto'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { inLines } from '../../machinery/text/shown.ts'
import { isDNS1123Subdomain, MAX_SUBDOMAIN } from '../../machinery/names.ts'
import type { ResourceKind } from '../client/kube-client.ts'
import { microTime } from '../election/lease-record.ts'

export const EVENTS: ResourceKind = {
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
}

/** The object that an event is about, as far as the event names it; every KubeObject is one. */
export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name?: string; readonly uid?: string }
}

/** An occurrence, which is reported once however often it is seen. */
export interface EventContent {
  /** A warning needs somebody's attention. */
  readonly type: 'Normal' | 'Warning'
  /** Why, in one word for machines. */
  readonly reason: string
  /** The action, in one word for machines. */
  readonly action: string
  /** For people; cut at 1,024 bytes. */
  readonly note: string
  readonly regarding: EventSubject
  /** The other object of an action that needs two. */
  readonly related?: EventSubject
  /** The only namespace that the Event may be in, whatever object it is about; left out: that of the object. */
  readonly namespace?: string
}

/** The reporter. */
export interface EventReporter {
  /** The controller's name, such as `allot`. */
  readonly component: string
  /** The name of its replica. */
  readonly instance: string
}

/** How often the same happened, and when (milliseconds since the epoch) last. */
export interface Series {
  readonly count: number
  readonly lastAt: number
}

const LONGEST_WORD = 128
const LONGEST_NOTE = 1024

/** Equal for events that report the same thing again. */
export const eventContentKey = ({ type, reason, action, note, regarding, related, namespace }: EventContent): string =>
  JSON.stringify([
    type,
    reason,
    action,
    note,
    identityOf(regarding),
    related === undefined ? null : identityOf(related),
    ...(namespace === undefined ? [] : [namespace]),
  ])

/** The namespace of Events about cluster-scoped objects. Servers such as 1.20 reject the first; they get the second. */
export const CLUSTER_EVENT_NAMESPACES = ['default', 'kube-system'] as const

/** The object as its Events name it. A namespace lies in itself there, so that the users of that namespace see its Events. */
const inItself = (subject: EventSubject): EventSubject =>
  subject.kind === 'Namespace' && subject.apiVersion === 'v1'
    ? { ...subject, metadata: { ...subject.metadata, namespace: subject.metadata.name ?? '' } }
    : subject

/** The `events.k8s.io/v1` Event with this content. `at`: milliseconds since the epoch; `serial` distinguishes those of one moment. */
export function eventOf(content: EventContent, reporter: EventReporter, at: number, serial: number): KubeObject {
  const { type, reason, action, note, related } = content
  const regarding = inItself(content.regarding)
  const { name = '' } = regarding.metadata
  const { namespace = regarding.metadata.namespace ?? '' } = content
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      namespace: namespace === '' ? CLUSTER_EVENT_NAMESPACES[0] : namespace,
      name: eventName(name, at, serial),
    },
    eventTime: microTime(at),
    reportingController: reporter.component,
    reportingInstance: reporter.instance.slice(0, LONGEST_WORD),
    action: action.slice(0, LONGEST_WORD),
    reason: reason.slice(0, LONGEST_WORD),
    regarding: referenceTo(regarding),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
    note: cutNote(inLines(note)),
    type,
  }
}

/** The Event for a server that wants those of cluster-scoped objects elsewhere; undefined when there is nowhere else. */
export function elsewhere(event: KubeObject): KubeObject | undefined {
  const [first, second] = CLUSTER_EVENT_NAMESPACES
  const { regarding, metadata } = event
  const isHomeless = isObject(regarding) && regarding['namespace'] === undefined
  return isHomeless && metadata.namespace === first
    ? { ...event, metadata: { ...metadata, namespace: second } }
    : undefined
}

/** The field of an Event that says how often; what happened once has none. */
export const seriesField = ({ count, lastAt }: Series): { readonly series?: object } =>
  count < 2 ? {} : { series: { count, lastObservedTime: microTime(lastAt) } }

/** `<name>.<hexadecimal nanoseconds>` as client-go's; a name that does not fit in front is shortened with its hash. */
function eventName(name: string, at: number, serial: number): string {
  const end = `.${(BigInt(Math.trunc(at)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16)}`
  const plain = name + end
  if (plain.length <= MAX_SUBDOMAIN && isDNS1123Subdomain(plain).length === 0) return plain
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10)
  const legible = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
  return `${legible.slice(0, MAX_SUBDOMAIN - end.length - hash.length - 1).replace(/-$/, '') || 'event'}-${hash}${end}`
}

/** The beginning of a note, at most as many bytes as an Event may hold, without half a character at its end. */
function cutNote(note: string): string {
  const { read } = new TextEncoder().encodeInto(note, new Uint8Array(LONGEST_NOTE))
  return note.slice(0, read)
}

function referenceTo({ apiVersion, kind, metadata }: EventSubject): object {
  const { namespace = '', name = '', uid = '' } = metadata
  return { apiVersion, kind, ...(namespace === '' ? {} : { namespace }), name, ...(uid === '' ? {} : { uid }) }
}

const identityOf = ({ apiVersion, kind, metadata }: EventSubject): readonly unknown[] => [
  apiVersion,
  kind,
  metadata.namespace,
  metadata.name,
  metadata.uid,
]
