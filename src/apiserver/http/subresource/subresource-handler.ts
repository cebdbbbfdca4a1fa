import { methodNotAllowed } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { Access } from '../../auth/access.ts'
import type { BodyDecoders } from '../../decoding/body-decoders.ts'
import type { ObjectOperations } from '../../operation/object-operations.ts'
import type { Registry } from '../../resource/registry.ts'
import type { MessageSet } from '../../protobuf/message-set.ts'
import { handleTokenRequest } from './token-request.ts'
import { textAt } from '../../../machinery/read.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { bind, type BindContext } from './pod-binding-handler.ts'
import { handleEviction } from './eviction-handler.ts'
import { type Handler, type Handlers, handlerWith } from '../request/handler.ts'
import { handleLog } from './log-handler.ts'
import { readValue } from '../../decoding/read-object.ts'
import { refuseToRun } from './running-pod.ts'
import { patchScale, readScale, replaceScale } from './scale-handler.ts'

export interface SubresourceOptions {
  readonly store: Pick<StoredObjects, 'get' | 'latest' | 'latestIn'>
  readonly registry: Registry
  readonly operations: ObjectOperations
  readonly access: Access
  readonly decoders: BodyDecoders
  readonly protobuf: MessageSet
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Subresources that are not a part of the object itself, with the handlers of each of their verbs. */
export function subresourceHandlers({
  store,
  registry,
  operations,
  access,
  decoders,
  protobuf,
  now,
}: SubresourceOptions): ReadonlyMap<string, Handlers> {
  const scale = { store, operations, registry, decoders, protobuf, now }
  const stream = { store, access }
  return new Map<string, Handlers>([
    [
      'scale',
      new Map([
        ['get', handlerWith(scale, readScale)],
        ['update', handlerWith(scale, replaceScale)],
        ['patch', handlerWith(scale, patchScale)],
      ]),
    ],
    ['eviction', new Map([['create', handlerWith({ store, registry, operations, decoders, now }, handleEviction)]])],
    ['binding', new Map([['create', handlerWith({ operations, decoders, now }, handleBinding)]])],
    ['log', new Map([['get', handlerWith({ store }, handleLog)]])],
    ['exec', streamed(stream, (query) => query.get('container') ?? '')],
    ['attach', streamed(stream, (query) => query.get('container') ?? '')],
    ['portforward', streamed(stream, () => undefined)],
    [
      'token',
      new Map([['create', handlerWith({ store, registry, operations, access, decoders, now }, handleTokenRequest)]]),
    ],
  ])
}

/** A stream to a container or a pod: clients open it by GET (WebSocket) or POST (SPDY), and nothing is there to answer. */
function streamed(
  { store, access }: Pick<SubresourceOptions, 'access' | 'store'>,
  containerOf: (query: URLSearchParams) => string | undefined,
): Handlers {
  const handler: Handler = (exchange, request) => {
    // A WebSocket can only be asked for by GET, and is written to: reading alone is not enough (on since 1.35).
    if (exchange.headers.upgrade?.toLowerCase() === 'websocket') demandStream(access, request)
    refuseToRun(store, request, containerOf(exchange.query))
  }
  return new Map([
    ['get', handler],
    ['create', handler],
  ])
}

function demandStream(
  access: Pick<Access, 'authorizer'>,
  { caller, resource, subresource, namespace, name }: ObjectRequest,
): void {
  const action = { type: 'resource', verb: 'create', ...resource.id, subresource, namespace, name } as const
  access.authorizer.demand(caller, action)
}

/** The serverContext that reading and executing bindings needs. */
export interface BindingContext extends BindContext {
  readonly decoders: BodyDecoders
}

/** Assigns a pod to a node, once. */
async function handleBinding(context: BindingContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { value } = await readValue(context.decoders, exchange, 'Ignore', 'Binding')
  await bind(context, exchange, request, value)
}

/** `POST …/bindings`, the older way to say the same: the pod is the one that the binding is named after. */
export async function handleOldBinding(
  context: BindingContext & { readonly registry: Pick<Registry, 'ofBucket'> },
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { value } = await readValue(context.decoders, exchange, 'Ignore', 'Binding')
  const resource = context.registry.ofBucket('pods')
  if (resource === undefined) throw methodNotAllowed()
  await bind(
    context,
    exchange,
    { ...request, resource, name: textAt(value, 'metadata', 'name') },
    value,
    request.resource,
  )
}
