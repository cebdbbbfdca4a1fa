import { unclassified } from '../../schema/patch/error.ts'
import { DecodeError } from '../../schema/type/decode-error.ts'
import { decode } from '../../schema/type/decode.ts'
import { isConflict, isNotFound, type SuccessStatus } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import { inTurns } from '../../runtime/tasks/time-slice.ts'
import { negotiate } from '../../runtime/http/media-type.ts'
import { warningHeaders } from '../../runtime/http/warning-headers.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { BodyDecoders } from '../decoding/body-decoders.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { parseListOptions } from '../storing/list-options.ts'
import { narrowed, parseSelection, recordFilter } from '../operation/selection.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import { answerObject, answerValue, warnings } from './answer/answer.ts'
import { bodyKind, unregistered } from '../decoding/body-kind.ts'
import { type DeletionRequest, parseDeleteOptions, queriedDeleteOptions } from './request/delete-options.ts'
import { answerRecords, readPage } from './list-handler.ts'
import { bodyType, decodeBody } from '../decoding/read-object.ts'
import { UnreadableBody } from '../decoding/unreadable-body.ts'

/** Kinds whose deletion is answered with the object rather than a Status (upstream `ReturnDeletedObject`). */
const RETURNS_OBJECT: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
])

/** So many objects of a collection are deleted at a time. */
const WORKERS = 64

/** The serverContext of deletions. */
export interface DeleteHandlerContext {
  readonly operations: Pick<ObjectOperations, 'remove'>
  readonly store: Pick<StoredObjects, 'latest' | 'list' | 'revision'>
  readonly registry: Pick<Registry, 'schemas'>
  readonly decoders: BodyDecoders
  readonly now: () => number
}

/** DELETE of one object. */
export async function handleDelete(
  context: DeleteHandlerContext,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { collected, warn } = warnings(exchange)
  const { options, dryRun, keptCode, reviewed } = await readDeleteOptions(context, exchange, request.resource)
  const removed = await context.operations.remove({ ...request, dryRun, warn, options: reviewed }, options)
  const deletion = { ...removed, warnings: [...collected, ...(removed.warnings ?? [])] }
  const { resource, name } = request
  if (deletion.gone && !RETURNS_OBJECT.has(resource.bucket)) {
    const status = success(resource, name, deletion.object.metadata.uid)
    return answerValue(exchange, 200, status, rendering.encoding, warningHeaders(deletion.warnings))
  }
  return answerObject(exchange, deletion.gone ? 200 : keptCode, resource, deletion, rendering, context.now())
}

/** DELETE of a collection: every object that the selectors match, answered with the list of them. */
export async function handleDeleteCollection(
  context: DeleteHandlerContext,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { collected, warn } = warnings(exchange)
  const { options, dryRun, reviewed } = await readDeleteOptions(context, exchange, request.resource)
  const { resource, namespace } = request
  const listed = readPage(
    context.store,
    resource,
    namespace,
    parseListOptions(exchange.query),
    recordFilter(resource, narrowed(request.name, parseSelection(resource, exchange.query))),
  )
  const complaints = new Set<string>()
  await inTurns(listed.records, WORKERS, async (record) => {
    const { name = '', namespace: within = '', uid } = record.object.metadata
    try {
      const deletion = await context.operations.remove(
        { ...request, namespace: within, name, dryRun, warn, options: reviewed },
        // Another object that has taken the name was not listed, and the selectors may not match it.
        uid === undefined ? options : { uid, ...options },
      )
      for (const warning of deletion.warnings ?? []) complaints.add(warning)
    } catch (error) {
      if (!isNotFound(error) && !(isConflict(error) && isReplaced(context, record))) throw error
    }
  })
  // The answer shows what was found, not what became of it.
  await answerRecords(exchange, {
    resource,
    records: listed.records,
    metadata: { resourceVersion: String(listed.revision) },
    rendering,
    now: context.now(),
    headers: warningHeaders([...collected, ...complaints]),
  })
}

/** Has another object taken the place of the one that was listed? */
const isReplaced = ({ store }: DeleteHandlerContext, { bucket, key, object }: StoredRecord): boolean =>
  store.latest(bucket, key)?.object.metadata.uid !== object.metadata.uid

const OPTIONS_TYPE = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
const SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27'

/**
 * `metav1.DeleteOptions` from the body or, without one, from the query. Throws 400, 415 and 422; a body that cannot be
 * read is answered with 500, as upstream does here.
 */
async function readDeleteOptions(
  context: DeleteHandlerContext,
  exchange: Exchange,
  { served }: Resource,
): Promise<DeletionRequest> {
  const bytes = await exchange.body()
  if (bytes.length === 0) return parseDeleteOptions(queriedDeleteOptions(exchange.query))
  const type = bodyType(exchange)
  const optionsVersion = served.custom === true ? 'meta.k8s.io/v1' : 'v1'
  try {
    const { value } = await decodeBody(context.decoders, { type, bytes, validation: 'Ignore' }, exchange)
    const { kind, apiVersion } = bodyKind(value)
    if (kind !== '' && kind !== 'DeleteOptions')
      throw new UnreadableBody(unregistered(kind, apiVersion === '' ? optionsVersion : apiVersion, SCHEME))
    return parseDeleteOptions(decode(context.registry.schemas.type(OPTIONS_TYPE), value ?? {}).object)
  } catch (error) {
    throw error instanceof UnreadableBody || error instanceof DecodeError ? unclassified(error.message) : error
  }
}

function success({ served }: Resource, name: string, uid: string | undefined): SuccessStatus {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  }
}
