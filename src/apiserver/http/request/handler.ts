import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'

/** Executes one verb on a resource or a subresource, and answers. */
export type Handler = (exchange: Exchange, request: ObjectRequest) => void | Promise<void>

/** Handlers by the verb that they execute. */
export type Handlers = ReadonlyMap<string, Handler>

/** A handler that is given what it works with once. */
export function handlerWith<Context>(
  context: Context,
  handle: (context: Context, exchange: Exchange, request: ObjectRequest) => void | Promise<void>,
): Handler {
  return (exchange, request) => handle(context, exchange, request)
}
