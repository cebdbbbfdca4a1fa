import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, notAcceptable } from '../../machinery/status.ts'
import type { Exchange, TextStream } from '../../runtime/http/exchange.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import type { Rendering } from '../../runtime/http/media-type.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { OpenWatches } from '../storing/open-watches.ts'
import type { ListOptions } from '../storing/list-options.ts'
import { narrowed, parseSelection } from '../operation/selection.ts'
import type { Resource } from '../resource/registry.ts'
import { EventFeed } from './answer/event-feed.ts'
import { asApiError, checkNotFuture, servedObject, servedText, withMetadataOf } from './list-handler.ts'
import { metadataOnly, tableOf } from './answer/table.ts'

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** A watch that a client does not read is cut at this many buffered bytes. */
const MAX_BUFFERED = 16 * 1024 * 1024
const BOOKMARK_MS = 60_000
/** Before a watch ends by its timeout, a last bookmark gives the version to resume from. */
const LAST_BOOKMARK_MS = 2_000
const MIN_TIMEOUT_SECONDS = 1800
/** Timers take no more. */
const MOST_TIMEOUT_SECONDS = 2_000_000
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' }

/** YAML is sent as a whole, never line by line. */
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']

/** The serverContext of watches. */
export interface WatchContext {
  readonly store: Pick<StoredObjects, 'list' | 'revision' | 'watch'>
  readonly watches: Pick<OpenWatches, 'open'>
  readonly serverContext: Pick<ServerContext, 'now' | 'random'>
}

interface WatchRequest extends WatchContext {
  readonly exchange: Exchange
  readonly resource: Resource
  readonly namespace: string
  /** The only object that is watched; `''` for all. */
  readonly name: string
  readonly options: ListOptions
  readonly rendering: Rendering
}

/** Answers a watch until the client leaves, its time is up, its resource is not served any more, or the server drains. Throws, before anything is sent, 400 and 410, and 504 when the initial events of a version to come are asked for. */
export async function answerWatch(request: WatchRequest): Promise<void> {
  const { store, exchange, resource, namespace, options, rendering } = request
  if (rendering.encoding === 'yaml') throw notAcceptable(STREAMS)
  const selection = narrowed(request.name, parseSelection(resource, exchange.query))
  if (options.sendInitialEvents) checkNotFuture(store, options.resourceVersion)
  const scope = { bucket: resource.bucket, namespace: namespace === '' ? undefined : namespace }
  const fromNow = options.resourceVersion === '' || options.resourceVersion === '0' || options.sendInitialEvents
  const initial =
    fromNow && !(exchange.query.has('sendInitialEvents') && !options.sendInitialEvents)
      ? store.list(resource.bucket, { namespace: scope.namespace })
      : undefined
  let feed: EventFeed | undefined
  const early: StoreEvent[] = []
  const from = fromNow ? store.revision : Number(options.resourceVersion)
  // A watch from a future version sends nothing until then, as upstream.
  const deliver = (event: StoreEvent): void =>
    void (event.revision <= from ? undefined : feed === undefined ? early.push(event) : feed.offer(event))
  let handle: WatchHandle
  try {
    handle = store.watch({ ...scope, from: Math.min(from, store.revision) }, deliver)
  } catch (error) {
    return refuse(exchange, asApiError(error))
  }
  const matches =
    selection === undefined ? () => true : (record: StoredRecord): boolean => selection(servedObject(resource, record))
  const frames = frameWriter(request)
  const stream = exchange.stream('application/json', MAX_BUFFERED)
  const close = endings(request, stream, {
    progress: () => (feed?.caughtUp === true ? handle.progress : undefined),
    finish: () => {
      handle.close()
      feed?.finish()
    },
    handle,
    frames,
  })
  const lineOf = (event: StoreEvent): string | Buffer | undefined => {
    const seen = translate(event, matches)
    if (seen === undefined) return undefined
    const asStored = rendering.shape === 'object' && seen.left === undefined
    return asStored ? watchEventLine(resource, seen.type, event) : frames.event(seen)
  }
  feed = new EventFeed(stream, lineOf, close)
  for (const event of early) feed.offer(event)
  // The initial objects are sent as fast as the client reads, however many they are, while events wait.
  for (const record of initial?.records ?? []) {
    if (!matches(record)) continue
    if (!stream.write(frames.event({ type: 'ADDED', record }))) return close()
    await stream.drained()
  }
  if (options.sendInitialEvents && options.bookmarks && initial !== undefined)
    stream.write(frames.bookmark(initial.revision, INITIAL_EVENTS_END))
  await feed.start()
}

/** The event of a record. `left`: the last state in which it matched, sent at the revision at which it no longer did. */
interface Seen {
  readonly type: EventType
  readonly record: StoredRecord
  readonly left?: number
}

/** Returns the event of a write for a watch with a selection: objects that begin or cease to match are added or deleted for it. */
function translate(
  { type, record, previous }: StoreEvent,
  matches: (record: StoredRecord) => boolean,
): Seen | undefined {
  const before = previous !== undefined && matches(previous)
  if (type === 'deleted') return before || matches(record) ? { type: 'DELETED', record } : undefined
  if (matches(record)) return { type: before ? 'MODIFIED' : 'ADDED', record }
  return before ? { type: 'DELETED', record: previous, left: record.revision } : undefined
}

/** Ends the watch in time, with bookmarks where the client wants them. */
function endings(
  { watches, serverContext, exchange, options, resource }: WatchRequest,
  stream: TextStream,
  {
    progress,
    finish,
    handle,
    frames,
  }: {
    /** Undefined while the client is behind. */
    readonly progress: () => number | undefined
    /** Closes the watch when all events have been sent. */
    readonly finish: () => void
    readonly handle: WatchHandle
    readonly frames: Frames
  },
): () => void {
  const { timeoutSeconds = 0 } = options
  const asked = timeoutSeconds === 0 ? MIN_TIMEOUT_SECONDS * (1 + serverContext.random()) : timeoutSeconds
  const seconds = Math.min(Math.floor(asked), MOST_TIMEOUT_SECONDS)
  const bookmark = (): void => {
    const revision = progress()
    if (options.bookmarks && revision !== undefined) stream.write(frames.bookmark(revision))
  }
  const timers = [
    setInterval(bookmark, BOOKMARK_MS),
    ...(seconds > 0 ? [setTimeout(bookmark, Math.max(seconds * 1000 - LAST_BOOKMARK_MS, seconds * 500))] : []),
    // A client with a negative timeout gets the existing objects.
    setTimeout(() => close(), Math.max(seconds, 0) * 1000),
  ]
  for (const timer of timers) timer.unref()
  const closed = watches.open(resource.served, finish)
  let open = true
  const close = (): void => {
    if (!open) return
    open = false
    closed()
    for (const timer of timers) clearTimeout(timer)
    handle.close()
    stream.end()
  }
  if (exchange.closed.aborted) close()
  else exchange.closed.addEventListener('abort', close, { once: true })
  return close
}

interface Frames {
  readonly event: (seen: Seen) => string
  readonly bookmark: (revision: number, annotations?: Readonly<Record<string, string>>) => string
}

/** The lines of the stream, in the shape that was asked for. A table sends its columns once. */
function frameWriter({ serverContext, exchange, resource, rendering }: WatchRequest): Frames {
  let columnsSent = false
  const shownOf = (record: StoredRecord): KubeObject =>
    rendering.shape === 'object' || rendering.shape === 'table'
      ? servedObject(resource, record)
      : withMetadataOf(resource, record)
  const shaped = (object: KubeObject): string => {
    if (rendering.shape === 'object') return JSON.stringify(object)
    if (rendering.shape !== 'table') return JSON.stringify(metadataOnly(object, rendering.version))
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' }
    const table = tableOf(
      resource,
      { objects: [object], count: 1 },
      metadata,
      serverContext.now(),
      exchange.query.get('includeObject'),
      rendering.version,
      !columnsSent,
    )
    columnsSent = true
    return JSON.stringify(table)
  }
  return {
    event: ({ type, record, left }) => {
      const text =
        rendering.shape === 'object' && left === undefined
          ? servedText(resource, record)
          : shaped(atRevision(shownOf(record), left))
      return `{"type":"${type}","object":${text}}\n`
    },
    bookmark: (revision, annotations) => {
      const { served, apiVersion } = resource
      const metadata = {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(annotations === undefined ? {} : { annotations }),
      }
      const object = { kind: served.kind, apiVersion, metadata }
      const text =
        rendering.shape === 'table'
          ? JSON.stringify({
              kind: 'Table',
              apiVersion: `meta.k8s.io/${rendering.version}`,
              metadata: { resourceVersion: String(revision) },
              columnDefinitions: null,
              rows: [{ cells: [], object }],
            })
          : JSON.stringify(object)
      return `{"type":"BOOKMARK","object":${text}}\n`
    },
  }
}

function atRevision(object: KubeObject, revision: number | undefined): KubeObject {
  return revision === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** A watch that cannot begin where it was asked to is answered with one ERROR event, as clients expect it. */
function refuse(exchange: Exchange, error: unknown): void {
  if (!(error instanceof ApiError)) throw error
  const stream = exchange.stream('application/json', MAX_BUFFERED)
  stream.write(`${JSON.stringify({ type: 'ERROR', object: error.status })}\n`)
  stream.end()
}

interface SharedLine {
  readonly resource: Resource
  readonly type: string
  readonly bytes: Buffer
}

/** The last line that was made of an event. Events go with the history of the store, and their lines with them. */
const lines = new WeakMap<StoreEvent, SharedLine>()

/** The line of a watch for an event's record. However many watches get it, it is mostly encoded once. */
function watchEventLine(resource: Resource, type: string, event: StoreEvent): Buffer {
  const known = lines.get(event)
  if (known?.resource === resource && known.type === type) return known.bytes
  const bytes = Buffer.from(`{"type":"${type}","object":${servedText(resource, event.record)}}\n`)
  lines.set(event, { resource, type, bytes })
  return bytes
}
