import { goQuote } from '../../machinery/go-quote.ts'
import { pathSegmentName } from '../../machinery/names.ts'
import { unclassified } from '../../machinery/patch/patch-error.ts'
import { type ApiError, badRequest, failure, methodNotAllowed, notFound } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import type { Caller } from '../caller.ts'
import { negotiate } from '../media-type.ts'
import { type Engine, keyOf, type ObjectRequest, outcomeOf } from '../operation/engine.ts'
import { parseListOptions, versionProblem } from '../operation/list-options.ts'
import { answerInProtobuf } from '../protobuf/answer-in-protobuf.ts'
import type { ResourceTarget } from '../request-target.ts'
import { answerObject, warnOfDeprecation } from './answer.ts'
import { customVerb } from './custom-request.ts'
import { handleDelete, handleDeleteCollection } from './delete-handler.ts'
import { answerList, checkNotFuture } from './list-handler.ts'
import { PathNotFound } from './path-not-found.ts'
import { reviews } from './review-handler.ts'
import { handleOldBinding, subresources } from './subresource-handler.ts'
import { answerWatch } from './watch-handler.ts'
import { handleCreate, handlePatch, handleUpdate } from './write-handler.ts'

type Handler = (engine: Engine, exchange: Exchange, request: ObjectRequest) => void | Promise<void>

/** What the methods do to a collection and to one object, with the verb that the resource must have. */
const ON_COLLECTION: Readonly<Record<string, readonly [string, Handler]>> = {
  GET: ['list', handleList],
  HEAD: ['list', handleList],
  POST: ['create', handleCreate],
  DELETE: ['deletecollection', handleDeleteCollection],
}
const ON_OBJECT: Readonly<Record<string, readonly [string, Handler]>> = {
  GET: ['get', handleGet],
  HEAD: ['get', handleGet],
  PUT: ['update', handleUpdate],
  PATCH: ['patch', handlePatch],
  DELETE: ['delete', handleDelete],
}

/** What is asked of a custom resource. */
const BY_VERB: ReadonlyMap<string, Handler> = new Map(
  [...Object.values(ON_COLLECTION), ...Object.values(ON_OBJECT)].map(([verb, handler]) => [verb, handler]),
)

/** Resources that can only be posted, and of which nothing is stored. */
const POSTED: Readonly<Record<string, Handler>> = { ...reviews, bindings: handleOldBinding }

/** Over HTTP/2 any text can be a method, `constructor` too. */
const ofMethod = (table: typeof ON_OBJECT, method: string): readonly [string, Handler] | readonly [] =>
  (Object.hasOwn(table, method) ? table[method] : undefined) ?? []

/** Answers a request for a resource. Throws ApiErrors, 404 for what is not served among them. */
export async function handleResource(
  engine: Engine,
  exchange: Exchange,
  target: ResourceTarget,
  caller: Caller,
): Promise<void> {
  const resource = engine.registry.find(target.group, target.version, target.resource)
  if (resource === undefined) throw notServed(engine, target)
  const { namespace, name, subresource, rest } = target
  const request: ObjectRequest = { resource, namespace, name, subresource, caller, dryRun: false }
  if (resource.served.custom === true) return await handleCustom(engine, exchange, target, request)
  if (engine.protobuf.fieldsOf(resource.apiVersion, resource.served.kind) !== undefined)
    answerInProtobuf(engine.protobuf, exchange)
  if ((!resource.served.namespaced && namespace !== '') || rest !== '') throw unknownResource()
  if (target.watch) return await handleOldWatch(engine, exchange, request)
  if (subresource !== '') return await handleSubresource(engine, exchange, request)
  const posted = POSTED[resource.bucket]
  if (posted !== undefined) {
    if (name !== '') throw unknownResource()
    if (exchange.method !== 'POST') throw methodNotAllowed()
    return await posted(engine, exchange, request)
  }
  const [verb, handler] = ofMethod(name === '' ? ON_COLLECTION : ON_OBJECT, exchange.method)
  if (verb === undefined || handler === undefined || !resource.served.verbs.includes(verb)) throw methodNotAllowed()
  if (resource.served.namespaced && namespace === '') {
    if (name !== '') throw unknownResource()
    // Over all namespaces at once one can only read.
    if (verb !== 'list') throw methodNotAllowed()
  }
  warnOfDeprecation(exchange, resource)
  checkName(name)
  return await handler(engine, exchange, request)
}

async function handleCustom(
  engine: Engine,
  exchange: Exchange,
  target: ResourceTarget,
  request: ObjectRequest,
): Promise<void> {
  warnOfDeprecation(exchange, request.resource)
  const verb = customVerb(exchange.method, target, request.resource)
  const handler = subresources[request.subresource] ?? BY_VERB.get(verb)
  if (handler === undefined) throw methodNotAllowed()
  checkName(request.name)
  // A POST may carry a name on its URL, of which upstream takes no notice.
  return await handler(engine, exchange, verb === 'create' ? { ...request, name: '' } : request)
}

async function handleSubresource(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource, subresource } = request
  const served = resource.served.subresources.find(({ name }) => name === subresource)
  if (served === undefined) throw unknownResource()
  checkName(request.name)
  const special = subresources[subresource]
  if (special !== undefined) return await special(engine, exchange, request)
  const [verb, handler] = ofMethod(ON_OBJECT, exchange.method)
  if (verb === undefined || handler === undefined || !served.verbs.includes(verb)) throw methodNotAllowed()
  return await handler(engine, exchange, request)
}

async function handleList(engine: Engine, exchange: Exchange, { resource, namespace }: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const options = parseListOptions(exchange.query)
  if (options.watch) await answerWatch({ engine, exchange, resource, namespace, options, rendering })
  else answerList(engine, exchange, resource, namespace, options, rendering)
}

/** `/api/v1/watch/…`, the older way to ask for a watch, of one object too. */
async function handleOldWatch(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource, namespace, name, subresource } = request
  if (subresource !== '' || (resource.served.namespaced && namespace === '' && name !== '')) throw unknownResource()
  if (exchange.method !== 'GET' || !resource.served.verbs.includes('watch')) throw methodNotAllowed()
  warnOfDeprecation(exchange, resource)
  const rendering = negotiate(exchange.headers.accept)
  const options = parseListOptions(exchange.query, true)
  await answerWatch({ engine, exchange, resource, namespace, options, rendering, ...(name === '' ? {} : { name }) })
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

export const unknownResource = (): ApiError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {})
