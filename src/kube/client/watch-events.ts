import { parseJson } from '../../machinery/json-text.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { eventError } from '../transport/answer-error.ts'
import type { WatchEvent } from './kube-client.ts'
import { ServerUnreachable } from '../transport/server-unreachable.ts'
import { splitLines } from '../transport/split-lines.ts'

/** The events of a watch's answer. Throws ApiError for an ERROR event, ServerUnreachable when it breaks off within one. */
export async function* watchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  server: string,
): AsyncGenerator<WatchEvent<T>, void> {
  for await (const { text, complete } of splitLines(chunks)) {
    // An event that is whole is taken even when the newline behind it is missing.
    const event = parsed(text)
    if (event === undefined) {
      if (!complete) throw new ServerUnreachable('dropped', `the watch of ${server} broke off within an event`)
      throw new ServerUnreachable('no-api-server', `the watch of ${server} sent an invalid event`)
    }
    yield eventOf<T>(event, server)
  }
}

interface RawEvent {
  readonly type: string
  readonly object: unknown
}

function parsed(text: string): RawEvent | undefined {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || typeof value['type'] !== 'string') return undefined
  return { type: value['type'], object: value['object'] }
}

function eventOf<T extends KubeObject>({ type, object }: RawEvent, server: string): WatchEvent<T> {
  if (type === 'ERROR') throw eventError(object)
  if (isObject(object) && isObject(object['metadata'])) {
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object: object as unknown as T }
    const { resourceVersion } = object['metadata']
    if (type === 'BOOKMARK' && typeof resourceVersion === 'string') return { type, resourceVersion }
  }
  throw new ServerUnreachable('no-api-server', `the watch of ${server} sent an event of the unknown type ${type}`)
}
