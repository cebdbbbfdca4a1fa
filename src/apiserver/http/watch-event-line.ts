import type { StoreEvent } from '../../store/record/event.ts'
import type { Resource } from '../resource/registry.ts'
import { servedText } from './list-handler.ts'

interface SharedLine {
  readonly resource: Resource
  readonly type: string
  readonly bytes: Buffer
}

/** The last line that was made of an event. Events go with the history of the store, and their lines with them. */
const lines = new WeakMap<StoreEvent, SharedLine>()

/** The line of a watch for an event's record. However many watches get it, it is mostly encoded once. */
export function watchEventLine(resource: Resource, type: string, event: StoreEvent): Buffer {
  const known = lines.get(event)
  if (known?.resource === resource && known.type === type) return known.bytes
  const bytes = Buffer.from(`{"type":"${type}","object":${servedText(resource, event.record)}}\n`)
  lines.set(event, { resource, type, bytes })
  return bytes
}
