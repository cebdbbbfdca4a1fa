import { methodNotAllowed } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import { handleTokenRequest } from './token-request.ts'
import { textAt } from '../../machinery/read.ts'
import type { Engine } from '../operation/engine.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { bind } from './binding-handler.ts'
import { handleEviction } from './eviction-handler.ts'
import { handleLog } from './log-handler.ts'
import { readValue } from '../decoding/read-object.ts'
import { refuseToRun } from './running-pod.ts'
import { patchScale, readScale, replaceScale } from './scale-handler.ts'

type Handler = (engine: Engine, exchange: Exchange, request: ObjectRequest) => void | Promise<void>

/** Subresources that are no part of the object itself, with what executes each of their verbs. */
export const subresources: ReadonlyMap<string, ReadonlyMap<string, Handler>> = new Map<
  string,
  ReadonlyMap<string, Handler>
>([
  [
    'scale',
    new Map<string, Handler>([
      ['get', readScale],
      ['update', replaceScale],
      ['patch', patchScale],
    ]),
  ],
  ['eviction', new Map([['create', handleEviction]])],
  ['binding', new Map([['create', handleBinding]])],
  ['log', new Map([['get', handleLog]])],
  ['exec', streamed((query) => query.get('container') ?? '')],
  ['attach', streamed((query) => query.get('container') ?? '')],
  ['portforward', streamed(() => undefined)],
  ['token', new Map([['create', handleTokenRequest]])],
])

/** A stream to a container or a pod: clients open it by GET (WebSocket) or POST (SPDY), and nothing is there to answer. */
function streamed(containerOf: (query: URLSearchParams) => string | undefined): ReadonlyMap<string, Handler> {
  const handler: Handler = (engine, exchange, request) => {
    // A WebSocket can only be asked for by GET, and is written to: reading alone is not enough (on since 1.35).
    if (exchange.headers.upgrade?.toLowerCase() === 'websocket') demandStream(engine, request)
    refuseToRun(engine, request, containerOf(exchange.query))
  }
  return new Map([
    ['get', handler],
    ['create', handler],
  ])
}

function demandStream({ access }: Engine, { caller, resource, subresource, namespace, name }: ObjectRequest): void {
  const action = { type: 'resource', verb: 'create', ...resource.id, subresource, namespace, name } as const
  access.authorizer.demand(caller, action)
}

/** Assigns a pod to a node, once. */
async function handleBinding(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { value } = await readValue(engine, exchange, 'Ignore', 'Binding')
  await bind(engine, exchange, request, value)
}

/** `POST …/bindings`, the older way to say the same: the pod is the one that the binding is named after. */
export async function handleOldBinding(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { value } = await readValue(engine, exchange, 'Ignore', 'Binding')
  const resource = engine.registry.ofBucket('pods')
  if (resource === undefined) throw methodNotAllowed()
  await bind(
    engine,
    exchange,
    { ...request, resource, name: textAt(value, 'metadata', 'name') },
    value,
    request.resource,
  )
}
