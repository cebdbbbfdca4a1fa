import { badRequest, expired, failure, timedOut } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { StoredRecord } from '../../store/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { StoreExpired, StoreFuture } from '../../store/store-error.ts'
import type { Rendering } from '../../runtime/http/media-type.ts'
import { decodeToken, encodeToken } from '../operation/continue-token.ts'
import { isServedAsStored } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { isExact, type ListOptions } from '../storing/list-options.ts'
import { narrowed, parseSelection, recordFilter } from '../operation/selection.ts'
import type { Resource } from '../resource/registry.ts'
import { answerText, answerValue } from './answer/answer.ts'
import { checkShape, metadataOnly, tableOf } from './answer/table.ts'

const RETRY_SECONDS = 1

/** What lists are read from. */
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
  // Plain JSON is made while the client reads it; everything else as a whole.
  const isWhole = rendering.shape !== 'object' || rendering.encoding !== 'json' || exchange.isTranscoded
  if (isWhole && !(await exchange.mayMakeWhole())) return
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
  if (rendering.shape === 'object') {
    const parts = listParts(resource, list.records, listMetadata(resource, metadata))
    return rendering.encoding === 'json'
      ? exchange.respondInParts('application/json', parts)
      : answerText(exchange, 200, [...parts].join(''), rendering.encoding)
  }
  const { version } = rendering
  if (rendering.shape === 'table')
    return answerValue(
      exchange,
      200,
      tableOf(
        resource,
        { objects: objectsOf(resource, list.records), count: list.records.length },
        metadata,
        now(),
        exchange.query.get('includeObject'),
        version,
      ),
      rendering.encoding,
    )
  return answerValue(
    exchange,
    200,
    {
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      items: list.records.map((record) => metadataOnly(withMetadataOf(resource, record), version)),
    },
    rendering.encoding,
  )
}

/** Lists of custom resources tell of no further page too. */
export const listMetadata = ({ served }: Resource, metadata: object): object =>
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
      // Whoever takes any version gets it from a cache, and that one gives all at once.
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

/** What the store says of revisions, as the API says it. */
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

export const objectOf = ({ conversion }: Resource, record: StoredRecord): StoredRecord['object'] =>
  conversion?.fromStored(record.object) ?? record.object

/** An object of which only the metadata is shown: that of a custom resource is the same in every version. */
export const withMetadataOf = (resource: Resource, record: StoredRecord): StoredRecord['object'] =>
  resource.served.custom === true ? record.object : objectOf(resource, record)

/** The objects of many records, one after the other: what defaults add to each must not add up. */
function* objectsOf(resource: Resource, records: readonly StoredRecord[]): Generator<StoredRecord['object']> {
  for (const record of records) yield objectOf(resource, record)
}

/** The record as the resource's version shows it, as JSON. */
export const textOf = (resource: Resource, record: StoredRecord): string =>
  isServedAsStored(resource, record) ? record.text : JSON.stringify(objectOf(resource, record))

/** A list of the texts as they are stored. Items of built-in lists carry no kind and version of their own, as upstream has it. */
export const listText = (resource: Resource, records: readonly StoredRecord[], metadata: object): string =>
  [...listParts(resource, records, metadata)].join('')

/** The same in parts, one for each object. */
function* listParts(resource: Resource, records: readonly StoredRecord[], metadata: object): Generator<string> {
  const { served, apiVersion } = resource
  const named = `{"kind":${JSON.stringify(served.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  yield `{"kind":${JSON.stringify(served.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`
  let separator = ''
  for (const record of records) {
    const text = textOf(resource, record)
    yield `${separator}${served.custom !== true && text.startsWith(named) ? `{${text.slice(named.length)}` : text}`
    separator = ','
  }
  yield ']}'
}
