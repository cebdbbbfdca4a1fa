// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { EventSource, ObjectReference } from './core-v1.ts'

export type Event = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly action?: unknown
  readonly deprecatedCount?: unknown
  readonly deprecatedFirstTimestamp?: unknown
  readonly deprecatedLastTimestamp?: unknown
  readonly deprecatedSource?: Unchecked<EventSource>
  readonly eventTime?: unknown
  readonly note?: unknown
  readonly reason?: unknown
  readonly regarding?: Unchecked<ObjectReference>
  readonly related?: Unchecked<ObjectReference>
  readonly reportingController?: unknown
  readonly reportingInstance?: unknown
  readonly series?: Unchecked<EventSeries>
  readonly type?: unknown
}

export type EventSeries = {
  readonly count?: unknown
  readonly lastObservedTime?: unknown
}
