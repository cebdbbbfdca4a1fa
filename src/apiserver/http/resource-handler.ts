import { goQuote } from '../../machinery/go/quote.ts'
import { pathSegmentName } from '../../machinery/names.ts'
import { unclassified } from '../../schema/patch/error.ts'
import { type ApiError, badRequest, methodNotAllowed, notFound } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { RequestDeadline } from '../../runtime/time/request-deadlines.ts'
import type { ResourceAction } from '../auth/request/action.ts'
import type { Caller } from '../../machinery/caller.ts'
import { negotiate } from '../../runtime/http/media-type.ts'
import type { MessageSet } from '../protobuf/message-set.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { OpenWatches } from '../storing/open-watches.ts'
import { keyOf, outcomeOf } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { parseListOptions, versionProblem } from '../storing/list-options.ts'
import { answerInProtobuf } from '../protobuf/answer.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { ResourceTarget } from '../auth/request/target.ts'
import { answerObject, warnOfDeprecation } from './answer/answer.ts'
import { checkBuiltinAction, unknownResource } from './request/builtin-request.ts'
import { checkCustomAction } from './request/custom-request.ts'
import { type Handlers, handlerWith } from './request/handler.ts'
import { handleDelete, handleDeleteCollection } from './delete-handler.ts'
import { answerList, checkNotFuture, type ListContext } from './list-handler.ts'
import { PathNotFound } from './answer/path-not-found.ts'
import { reviews } from './review-handler.ts'
import { handleOldBinding, subresourceHandlers, type SubresourceOptions } from './subresource/subresource-handler.ts'
import { answerWatch, type WatchContext } from './watch-handler.ts'
import { handleCreate, handlePatch, handleUpdate } from './write-handler.ts'

export interface ResourceHandlerOptions extends SubresourceOptions {
  readonly store: StoredObjects
  readonly protobuf: MessageSet
  readonly serverContext: ServerContext
  readonly watches: OpenWatches
}

/** Executes actions on resources. Built-in and custom kinds differ only in how an action without a meaning is refused. */
export class ResourceHandler {
  readonly #registry: Registry
  readonly #protobuf: MessageSet
  /** The handlers of each verb on a resource. On a collection the request has the only name that it may touch, or none. */
  readonly #onResource: Handlers
  /** The handlers of each verb on a subresource that is a part of the object. */
  readonly #onPart: Handlers
  /** Resources that clients can only create, and that are not stored. */
  readonly #createOnly: ReadonlyMap<string, Handlers>
  readonly #subresources: ReadonlyMap<string, Handlers>

  constructor(options: ResourceHandlerOptions) {
    const { store, registry, operations, access, decoders, protobuf, serverContext, watches, now } = options
    const reads = { store, now }
    const writes = { operations, registry, decoders, now }
    const deletions = { operations, store, registry, decoders, now }
    const get = handlerWith(reads, handleGet)
    const update = handlerWith(writes, handleUpdate)
    const patch = handlerWith(writes, handlePatch)
    const reviewing = { access, operations, decoders, now }
    const reviewed = Object.entries(reviews).map(
      ([bucket, review]) => [bucket, handlerWith(reviewing, review)] as const,
    )
    const binding = handlerWith({ operations, registry, decoders, now }, handleOldBinding)
    this.#registry = registry
    this.#protobuf = protobuf
    this.#onResource = new Map([
      ['get', get],
      ['list', handlerWith(reads, handleList)],
      ['watch', handlerWith({ store, watches, serverContext }, handleWatch)],
      ['create', handlerWith(writes, handleCreate)],
      ['update', update],
      ['patch', patch],
      ['delete', handlerWith(deletions, handleDelete)],
      ['deletecollection', handlerWith(deletions, handleDeleteCollection)],
    ])
    this.#onPart = new Map([
      ['get', get],
      ['update', update],
      ['patch', patch],
    ])
    this.#createOnly = new Map(
      [...reviewed, ['bindings', binding] as const].map(([bucket, handler]) => [
        bucket,
        new Map([['create', handler]]),
      ]),
    )
    this.#subresources = subresourceHandlers({ store, registry, operations, access, decoders, protobuf, now })
  }

  /**
   * Executes an action, the one that the authorizer has allowed: the method of the request is not looked at again. Throws
   * ApiErrors, 404 for what is not served among them.
   */
  async handle(
    exchange: Exchange,
    target: ResourceTarget,
    action: ResourceAction,
    caller: Caller,
    deadline: RequestDeadline | undefined,
  ): Promise<void> {
    const resource = this.#registry.find(target.group, target.version, target.resource)
    if (resource === undefined) throw this.#notServed(target)
    const { verb, name, subresource } = action
    if (resource.served.custom === true) {
      warnOfDeprecation(exchange, resource)
      checkCustomAction(verb, target, resource)
    } else {
      if (this.#protobuf.fieldsOf(resource.apiVersion, resource.served.kind) !== undefined)
        answerInProtobuf(this.#protobuf, exchange)
      checkBuiltinAction(verb, target, resource)
      if (subresource === '' && !this.#createOnly.has(resource.bucket)) warnOfDeprecation(exchange, resource)
    }
    checkName(name)
    const handler = this.#handlersOf(resource, subresource).get(verb)
    if (handler === undefined) throw methodNotAllowed()
    const { namespace } = target
    const turn = (): Promise<void> => exchange.turn()
    await handler(exchange, { resource, namespace, name, subresource, caller, verb, dryRun: false, deadline, turn })
  }

  #handlersOf({ bucket }: Resource, subresource: string): Handlers {
    return subresource === ''
      ? (this.#createOnly.get(bucket) ?? this.#onResource)
      : (this.#subresources.get(subresource) ?? this.#onPart)
  }

  /** 404 as a Status for a resource of a group with built-in kinds, and as plain text for any other. */
  #notServed(target: ResourceTarget): ApiError | PathNotFound {
    return this.#registry.hasBuiltinGroup(target.group) ? unknownResource() : new PathNotFound()
  }
}

async function handleList(context: ListContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  await answerList(context, exchange, request, parseListOptions(exchange.query), rendering)
}

/** `?watch=true`, or `/api/v1/watch/…`, the older way to ask for a watch, of one object too. */
async function handleWatch(context: WatchContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource, namespace, name } = request
  const rendering = negotiate(exchange.headers.accept)
  const options = parseListOptions(exchange.query, true)
  await answerWatch({ ...context, exchange, resource, namespace, name, options, rendering })
}

/** Throws 400 for a name that cannot be a part of a path. */
function checkName(name: string): void {
  const [problem] = name === '' ? [] : pathSegmentName(name, false)
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problem}`)
}

function handleGet(
  { store, now }: { readonly store: StoredObjects; readonly now: () => number },
  exchange: Exchange,
  { resource, namespace, name }: ObjectRequest,
): void {
  const rendering = negotiate(exchange.headers.accept)
  const asked = exchange.query.get('resourceVersion') ?? ''
  const problem = versionProblem(asked)
  if (problem !== undefined) throw unclassified(problem)
  checkNotFuture(store, asked)
  const record = store.get(resource.bucket, keyOf(resource, namespace, name))
  if (record === undefined) throw notFound(resource.id, name)
  answerObject(exchange, 200, resource, outcomeOf(resource, record), rendering, now())
}
