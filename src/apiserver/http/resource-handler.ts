import { goQuote } from '../../machinery/go-quote.ts'
import { pathSegmentName } from '../../machinery/names.ts'
import { unclassified } from '../../schema/patch/patch-error.ts'
import { type ApiError, badRequest, methodNotAllowed, notFound } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import type { RequestDeadline } from '../../runtime/request-deadlines.ts'
import type { ResourceAction } from '../auth/action.ts'
import type { Caller } from '../../machinery/caller.ts'
import { negotiate } from '../../runtime/media-type.ts'
import type { Engine } from '../operation/engine.ts'
import { keyOf, outcomeOf } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { parseListOptions, versionProblem } from '../storing/list-options.ts'
import { answerInProtobuf } from '../protobuf/answer-in-protobuf.ts'
import type { Resource } from '../resource/registry.ts'
import type { ResourceTarget } from '../auth/request-target.ts'
import { answerObject, warnOfDeprecation } from './answer.ts'
import { checkBuiltinAction, unknownResource } from './builtin-request.ts'
import { checkCustomAction } from './custom-request.ts'
import { handleDelete, handleDeleteCollection } from './delete-handler.ts'
import { answerList, checkNotFuture } from './list-handler.ts'
import { PathNotFound } from './path-not-found.ts'
import { reviews } from './review-handler.ts'
import { handleOldBinding, subresources } from './subresource-handler.ts'
import { answerWatch } from './watch-handler.ts'
import { handleCreate, handlePatch, handleUpdate } from './write-handler.ts'

type Handler = (engine: Engine, exchange: Exchange, request: ObjectRequest) => void | Promise<void>
type Handlers = ReadonlyMap<string, Handler>

/** What executes each verb on a resource. On a collection the request has the only name that it may touch, or none. */
const ON_RESOURCE: Handlers = new Map<string, Handler>([
  ['get', handleGet],
  ['list', handleList],
  ['watch', handleWatch],
  ['create', handleCreate],
  ['update', handleUpdate],
  ['patch', handlePatch],
  ['delete', handleDelete],
  ['deletecollection', handleDeleteCollection],
])

/** What executes each verb on a subresource that is a part of the object. */
const ON_PART: Handlers = new Map<string, Handler>([
  ['get', handleGet],
  ['update', handleUpdate],
  ['patch', handlePatch],
])

/** Resources that can only be posted, and of which nothing is stored. */
const POSTED: ReadonlyMap<string, Handlers> = new Map(
  Object.entries<Handler>({ ...reviews, bindings: handleOldBinding }).map(([bucket, handler]) => [
    bucket,
    new Map([['create', handler]]),
  ]),
)

/**
 * Executes an action, the one that the authorizer has allowed: the method of the request is not looked at again. Built-in
 * and custom kinds differ only in how an action without a meaning is refused. Throws ApiErrors, 404 for what is not
 * served among them.
 */
export async function handleResource(
  engine: Engine,
  exchange: Exchange,
  target: ResourceTarget,
  action: ResourceAction,
  caller: Caller,
  deadline: RequestDeadline | undefined,
): Promise<void> {
  const resource = engine.registry.find(target.group, target.version, target.resource)
  if (resource === undefined) throw notServed(engine, target)
  const { verb, name, subresource } = action
  if (resource.served.custom === true) {
    warnOfDeprecation(exchange, resource)
    checkCustomAction(verb, target, resource)
  } else {
    if (engine.protobuf.fieldsOf(resource.apiVersion, resource.served.kind) !== undefined)
      answerInProtobuf(engine.protobuf, exchange)
    checkBuiltinAction(verb, target, resource)
    if (subresource === '' && !POSTED.has(resource.bucket)) warnOfDeprecation(exchange, resource)
  }
  checkName(name)
  const handler = handlersOf(resource, subresource).get(verb)
  if (handler === undefined) throw methodNotAllowed()
  const { namespace } = target
  await handler(engine, exchange, { resource, namespace, name, subresource, caller, verb, dryRun: false, deadline })
}

function handlersOf({ bucket }: Resource, subresource: string): Handlers {
  return subresource === '' ? (POSTED.get(bucket) ?? ON_RESOURCE) : (subresources.get(subresource) ?? ON_PART)
}

async function handleList(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  await answerList(engine, exchange, request, parseListOptions(exchange.query), rendering)
}

/** `?watch=true`, or `/api/v1/watch/…`, the older way to ask for a watch, of one object too. */
async function handleWatch(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource, namespace, name } = request
  const rendering = negotiate(exchange.headers.accept)
  const options = parseListOptions(exchange.query, true)
  await answerWatch({ engine, exchange, resource, namespace, name, options, rendering })
}

/** Nothing can be stored under a name that is no part of a path. Throws 400. */
function checkName(name: string): void {
  const [problem] = name === '' ? [] : pathSegmentName(name, false)
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problem}`)
}

function handleGet(engine: Engine, exchange: Exchange, { resource, namespace, name }: ObjectRequest): void {
  const rendering = negotiate(exchange.headers.accept)
  const asked = exchange.query.get('resourceVersion') ?? ''
  const problem = versionProblem(asked)
  if (problem !== undefined) throw unclassified(problem)
  checkNotFuture(engine, asked)
  const record = engine.store.get(resource.bucket, keyOf(resource, namespace, name))
  if (record === undefined) throw notFound(resource.id, name)
  answerObject(exchange, 200, resource, outcomeOf(resource, record), rendering, engine.surroundings.now())
}

/** 404 as a Status for a resource of a group with built-in kinds, and as plain text for any other. */
function notServed(engine: Engine, target: ResourceTarget): ApiError | PathNotFound {
  return engine.registry.hasBuiltinGroup(target.group) ? unknownResource() : new PathNotFound()
}
