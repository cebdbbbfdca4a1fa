import type { Socket } from 'node:net'

/** The callbacks of Node's parser of HTTP/1.1, by the numbers that its class names. */
interface Parser {
  readonly constructor: { readonly kOnMessageBegin?: unknown; readonly kOnExecute?: unknown }
  readonly _consumed?: unknown
  onIncoming?: unknown
  [callback: number]: unknown
}

export interface ParserWatch {
  /** A request begins. */
  readonly begins: () => void
  /** All that has arrived so far is parsed. */
  readonly parsed: () => void
}

/** Node's parser stops with an error at a request for which this is returned. */
const STOP = -1

/**
 * Has the parser of a connection stop at the first request that arrives while `isHasty`: it would hand over all requests of a piece before
 * anything else gets its turn. Does nothing where Node has no such parser.
 */
export function stopParserWhen(socket: Socket, isHasty: () => boolean): void {
  const { parser } = socket as Socket & { readonly parser?: Parser | null }
  const { onIncoming } = parser ?? {}
  if (!parser || typeof onIncoming !== 'function') return
  parser.onIncoming = (...request: unknown[]): unknown => (isHasty() ? STOP : onIncoming.apply(parser, request))
}

/**
 * Watches a parser that reads the connection itself, which saves the way of every piece through streams. Gives false, and does
 * nothing, where Node has no such parser for the connection, or lets nobody watch it.
 */
export function watchParser(socket: Socket, { begins, parsed }: ParserWatch): boolean {
  const { parser } = socket as Socket & { readonly parser?: Parser | null }
  const { kOnMessageBegin, kOnExecute } = parser?.constructor ?? {}
  if (parser?._consumed !== true || typeof kOnMessageBegin !== 'number' || typeof kOnExecute !== 'number') return false
  const executed = parser[kOnExecute]
  if (typeof executed !== 'function') return false
  parser[kOnMessageBegin] = begins
  parser[kOnExecute] = (result: unknown): void => {
    executed.call(parser, result)
    parsed()
  }
  return true
}
