import { methodNotAllowed } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import { handleTokenRequest } from '../auth/token-request.ts'
import { textAt } from '../kind/read.ts'
import type { Engine, ObjectRequest } from '../operation/engine.ts'
import { bind } from './binding-handler.ts'
import { handleEviction } from './eviction-handler.ts'
import { handleLog } from './log-handler.ts'
import { readValue } from './read-object.ts'
import { handleScale } from './scale-handler.ts'

type Handler = (engine: Engine, exchange: Exchange, request: ObjectRequest) => Promise<void>

/** Subresources that are no part of the object itself. */
export const subresources: Readonly<Record<string, Handler>> = {
  scale: handleScale,
  eviction: handleEviction,
  binding: handleBinding,
  log: handleLog,
  token: handleTokenRequest,
}

/** Assigns a pod to a node, once. */
async function handleBinding(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed()
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
