import { badRequest, expired, failure, timedOut } from '../../machinery/status.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { StoreExpired, StoreFuture } from '../../store/record/store-error.ts'
import type { Rendering } from '../../runtime/http/media-type.ts'
import { decodeToken, encodeToken } from '../operation/continue-token.ts'
import { isServedAsStored } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { isExact, type ListOptions } from '../storing/list-options.ts'
import { narrowed, parseSelection, recordFilter } from '../operation/selection.ts'
import type { Resource } from '../resource/registry.ts'
import { type Headers, TYPES } from './answer/answer.ts'
import { jsonParts, type SlicedList, textsMadeFrom, yamlParts } from './answer/sliced-list.ts'
import { checkShape, metadataOnly, tableParts } from './answer/table.ts'

const RETRY_SECONDS = 1

/** The serverContext of lists. */
export interface ListContext {
  readonly store: Pick<StoredObjects, 'list' | 'revision'>
  readonly now: () => number
}

/** Answers a list: one consistent snapshot, page by page when a limit is asked for. */
export async function answerList(
  { store, now }: ListContext,
  exchange: Exchange,
  { resource, namespace, name }: ObjectRequest,
  options: ListOptions,
  rendering: Rendering,
): Promise<void> {
  checkShape(rendering, resource, true)
  if (isDear(exchange, rendering) && !(await exchange.mayBeginDear())) return
  const selection = narrowed(name, parseSelection(resource, exchange.query))
  const list = readPage(store, resource, namespace, options, recordFilter(resource, selection))
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.next === undefined
      ? {}
      : { continue: encodeToken({ revision: list.revision, after: list.next.slice(prefixOf(namespace).length) }) }),
    ...(list.next === undefined || selection !== undefined || list.remaining === undefined
      ? {}
      : { remainingItemCount: list.remaining }),
  }
  await answerRecords(exchange, { resource, records: list.records, metadata, rendering, now: now() })
}

/** A list that stored texts cannot form is rendered object by object. */
const isDear = ({ transcoding }: Exchange, { shape, encoding }: Rendering): boolean =>
  shape !== 'object' || encoding !== 'json' || transcoding !== undefined

/** A list as it is answered. */
export interface AnsweredList {
  readonly resource: Resource
  readonly records: readonly StoredRecord[]
  readonly metadata: JsonObject
  readonly rendering: Rendering
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly headers?: Headers
}

/**
 * Answers with a list in the shape and encoding that the client asked for, made while the client reads it. Throws 400 for a table
 * that cannot be made, and 406 for the shape of an object.
 */
export async function answerRecords(exchange: Exchange, answered: AnsweredList): Promise<void> {
  const { resource, rendering, headers = {} } = answered
  checkShape(rendering, resource, true)
  const list = listOf(answered, exchange.query.get('includeObject'))
  const { transcoding } = exchange
  const other = rendering.shape === 'table' ? undefined : await transcoding?.list(list.fields, list.texts)
  if (transcoding !== undefined && other !== undefined)
    return exchange.respondInParts(transcoding.contentType, other, { headers, isDear: true })
  const parts = rendering.encoding === 'json' ? jsonParts(list) : yamlParts(list)
  exchange.respondInParts(TYPES[rendering.encoding], parts, { headers, isDear: isDear(exchange, rendering) })
}

/** `include` is the query parameter includeObject. */
function listOf({ resource, records, metadata, rendering, now }: AnsweredList, include: string | null): SlicedList {
  const { shape, version } = rendering
  const { served, apiVersion } = resource
  if (shape === 'table') {
    const { fields, row } = tableParts(resource, records.length, metadata, now, include, version)
    const texts = textsMadeFrom(records, (record) => JSON.stringify(row(servedObject(resource, record))))
    return { fields, name: 'rows', texts }
  }
  if (shape === 'object')
    return {
      fields: { kind: served.listKind, apiVersion, metadata: listMetadata(resource, metadata) },
      name: 'items',
      texts: itemTexts(resource, records),
    }
  return {
    fields: { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata },
    name: 'items',
    texts: textsMadeFrom(records, (record) => JSON.stringify(metadataOnly(withMetadataOf(resource, record), version))),
  }
}

/** Lists of custom resources also state that there is no further page. */
const listMetadata = ({ served }: Resource, metadata: JsonObject): JsonObject =>
  served.custom === true ? { continue: '', ...metadata } : metadata

/** Throws 410 for a page or version behind the history, 504 for a version that does not exist yet. */
export function readPage(
  store: ListContext['store'],
  resource: Resource,
  namespace: string,
  options: ListOptions,
  matches: ReturnType<typeof recordFilter>,
): ReturnType<StoredObjects['list']> {
  const token = options.continue === '' ? undefined : decodeToken(options.continue)
  const limit = options.resourceVersion === '0' && token === undefined ? 0 : options.limit
  if (token !== undefined && options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  const exact = isExact(options) ? Number(options.resourceVersion) : undefined
  checkNotFuture(store, options.resourceVersion)
  try {
    return store.list(resource.bucket, {
      namespace: namespace === '' ? undefined : namespace,
      after: token === undefined ? undefined : prefixOf(namespace) + token.after,
      // A list of any version comes from a cache, which gives all at once.
      limit: limit > 0 ? limit : undefined,
      at: token?.revision ?? exact,
      matches,
    })
  } catch (error) {
    if (error instanceof StoreExpired && token !== undefined) throw expiredPage(token.after)
    throw asApiError(error)
  }
}

/** Where the keys of a namespace begin. */
const prefixOf = (namespace: string): string => (namespace === '' ? '' : `${namespace}/`)

export function checkNotFuture(store: Pick<StoredObjects, 'revision'>, resourceVersion: string): void {
  const asked = resourceVersion === '' ? 0n : BigInt(resourceVersion)
  if (asked > store.revision) throw tooLarge(asked, store.revision)
}

/** Turns the store's errors about revisions into those of the API. */
export function asApiError(error: unknown): unknown {
  if (error instanceof StoreExpired) return expired(`too old resource version: ${error.revision} (${error.oldest})`)
  if (error instanceof StoreFuture) return tooLarge(error.revision, error.newest)
  return error
}

function tooLarge(asked: bigint | number, current: number): Error {
  const { status } = timedOut(`Too large resource version: ${asked}, current: ${current}`, RETRY_SECONDS)
  return failure(504, 'Timeout', status.message ?? '', {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** The 410 carries a token that goes on from the present, for clients that can live with that. */
function expiredPage(after: string): Error {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  )
  Object.assign(error.status.metadata, { continue: encodeToken({ revision: undefined, after }) })
  return error
}

export const servedObject = ({ conversion }: Resource, record: StoredRecord): StoredRecord['object'] =>
  conversion?.fromStored(record.object) ?? record.object

/** An object of which only the metadata is shown: that of a custom resource is the same in every version. */
export const withMetadataOf = (resource: Resource, record: StoredRecord): StoredRecord['object'] =>
  resource.served.custom === true ? record.object : servedObject(resource, record)

/** The record as the resource's version shows it, as JSON. */
export const servedText = (resource: Resource, record: StoredRecord): string =>
  isServedAsStored(resource, record) ? record.text : JSON.stringify(servedObject(resource, record))

/** The texts as they are stored. Items of built-in lists carry no kind and version of their own, as upstream has it. */
function itemTexts(resource: Resource, records: readonly StoredRecord[]): Iterable<string> {
  const { served, apiVersion } = resource
  const named = `{"kind":${JSON.stringify(served.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  return textsMadeFrom(records, (record) => {
    const text = servedText(resource, record)
    return served.custom !== true && text.startsWith(named) ? `{${text.slice(named.length)}` : text
  })
}
